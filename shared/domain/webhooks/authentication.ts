import { X509Certificate } from 'node:crypto';

import type { Credential } from './credentials.js';

export const authenticationTypes = ['basic', 'bearer', 'oauth2_client_credentials', 'mtls'] as const;

export type AuthenticationType = (typeof authenticationTypes)[number];

/** The client credentials grant of OAuth 2.0 (RFC 6749 section 4.4). */
export interface OAuthClient {
  readonly type: 'oauth2_client_credentials';
  /** The URL of the token endpoint. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string | undefined;
  readonly audience?: string | undefined;
  /** Where the credentials are in the request of a token; in the header by default. */
  readonly clientAuthentication?: 'basic' | 'body' | undefined;
}

/** A certificate with which the service authenticates in TLS, and its private key, as PEM texts. */
export interface ClientCertificate {
  readonly type: 'mtls';
  /** The certificate of the client first, and then those of intermediate authorities. */
  readonly certificate: string;
  readonly privateKey: string;
}

/** How the service authenticates at a webhook, with the credentials in clear. */
export type Authentication =
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | { readonly type: 'bearer'; readonly token: string }
  | OAuthClient
  | ClientCertificate;

/**
 * What users see of an authentication: no credentials. A user name is left out too, because for many receivers it is an
 * API key.
 */
export type AuthenticationInfo =
  | { readonly type: 'basic' | 'bearer' }
  | Omit<OAuthClient, 'clientSecret'>
  | {
      readonly type: 'mtls';
      /** The subject of the certificate, such as `CN=shop`; its alternative names if the subject is empty. */
      readonly subject: string;
      /** The end of the validity of the certificate, as ISO 8601 text. */
      readonly expires: string;
    };

/** The most characters of a user name, a password, a client secret and other short texts. */
export const maximumCredentialLength = 1024;
/** The most characters of a token, and of a PEM text. Servers commonly accept headers of 8 KiB. */
export const maximumTokenLength = 8 * 1024;
export const maximumPemLength = 16 * 1024;

const maximumSubjectLength = 300;

/** Visible ASCII. The characters of RFC 6750 are fewer, but many systems issue tokens with others, such as `1|abc`. */
const tokenPattern = /^[\x21-\x7e]+$/u;
/** Scopes are joined by single spaces, and have no quotes and no backslashes (RFC 6749 section 3.3). */
export const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/u;
const controlCharacter = /\p{Cc}/u;

const slot = 'auth/';

/** The name of the credential with an authentication of a type. A webhook has one of them at most. */
export function authCredential(type: AuthenticationType): string {
  return `${slot}${type}`;
}

/** The type of the authentication that a credential contains; null for another credential. */
export function authTypeOf({ name }: Pick<Credential, 'name'>): AuthenticationType | null {
  return authenticationTypes.find((type) => name === authCredential(type)) ?? null;
}

/** The text of an authentication that is sealed. */
export function authenticationText(auth: Authentication): string {
  return JSON.stringify(auth);
}

/** The authentication in an opened text, which this service has sealed. */
export function authenticationOf(text: string): Authentication {
  return JSON.parse(text) as Authentication;
}

/** Whether a webhook with an authentication of this type sets the header `authorization`. */
export function setsAuthorization(type: AuthenticationType): boolean {
  return type !== 'mtls';
}

/** Whether a text can follow `Bearer` in a header. */
export function isToken(text: string): boolean {
  return text.length <= maximumTokenLength && tokenPattern.test(text);
}

/** Whether a text can be the user name of Basic authentication, in which the first colon ends it (RFC 7617). */
export function isUsername(text: string): boolean {
  return text !== '' && !text.includes(':') && isPassword(text);
}

/** Whether a text can be a password of Basic authentication (RFC 7617), or a client secret. */
export function isPassword(text: string): boolean {
  return text.length <= maximumCredentialLength && !controlCharacter.test(text);
}

/** What users see of an authentication. */
export function authenticationInfo(auth: Authentication): AuthenticationInfo {
  switch (auth.type) {
    case 'basic':
    case 'bearer':
      return { type: auth.type };
    case 'oauth2_client_credentials': {
      const { clientSecret: _hidden, ...shown } = auth;
      return shown;
    }
    case 'mtls': {
      const { subject, subjectAltName = '', validTo } = new X509Certificate(auth.certificate);
      // Node's types do not say that an empty subject is undefined.
      const name = (subject as string | undefined)?.replaceAll('\n', ', ') ?? subjectAltName;
      const expires = new Date(validTo).toISOString();
      return { type: 'mtls', subject: name.slice(0, maximumSubjectLength), expires };
    }
    default: {
      const never: never = auth;
      return never;
    }
  }
}

/** The value of `authorization` with which requests are sent; null if the service does not know it in advance. */
export function authorizationOf(auth: Authentication): string | null {
  switch (auth.type) {
    case 'basic':
      return `Basic ${encodedBasic(auth)}`;
    case 'bearer':
      return `Bearer ${auth.token}`;
    case 'oauth2_client_credentials':
    case 'mtls':
      return null;
    default: {
      const never: never = auth;
      return never;
    }
  }
}

/** The credentials that requests contain. A receiver could repeat them in a response, which must not be recorded. */
export function sentCredentials(auth: Authentication): readonly string[] {
  switch (auth.type) {
    case 'basic':
      return [auth.username, auth.password, encodedBasic(auth)];
    case 'bearer':
      return [auth.token];
    case 'oauth2_client_credentials':
    case 'mtls':
      return [];
    default: {
      const never: never = auth;
      return never;
    }
  }
}

/** User name and password in Base64 of their UTF-8 (RFC 7617). */
function encodedBasic({ username, password }: { readonly username: string; readonly password: string }) {
  return Buffer.from(`${username}:${password}`).toString('base64');
}
