import type { Webhook } from '../api/types.js';
import { faultOfUrl } from './webhookRules.js';

type Auth = NonNullable<Webhook['auth']>;
type Type = Auth['type'];

/** The authentication of a webhook in a form. Only the fields of the chosen type count. */
export interface AuthTexts {
  /** The authentication that the service shows; null if the webhook has none. */
  readonly stored: Auth | null;
  /** `none` means that the service only signs its requests. */
  readonly type: Type | 'none';
  readonly username: string;
  readonly password: string;
  readonly token: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  readonly audience: string;
  readonly clientAuthentication: string;
  readonly certificate: string;
  readonly privateKey: string;
}

export type AuthField = Exclude<keyof AuthTexts, 'stored' | 'type'>;

/** The authentication, or one of its fields, as the error of a request names it. */
export type AuthPlace = 'auth' | `auth.${AuthField}`;

export type AuthFaults = Readonly<Record<AuthPlace, string | null>>;

export const noAuthFaults: AuthFaults = {
  auth: null,
  'auth.username': null,
  'auth.password': null,
  'auth.token': null,
  'auth.tokenUrl': null,
  'auth.clientId': null,
  'auth.clientSecret': null,
  'auth.scope': null,
  'auth.audience': null,
  'auth.clientAuthentication': null,
  'auth.certificate': null,
  'auth.privateKey': null,
};

/** The authentication in the body of a request. */
export type AuthInput =
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | { readonly type: 'bearer'; readonly token: string }
  | {
      readonly type: 'oauth2_client_credentials';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope?: string;
      readonly audience?: string;
      readonly clientAuthentication: 'basic' | 'body';
    }
  | { readonly type: 'mtls'; readonly certificate: string; readonly privateKey: string };

const fieldsOfTypes: Readonly<Record<AuthTexts['type'], readonly AuthField[]>> = {
  none: [],
  basic: ['username', 'password'],
  bearer: ['token'],
  oauth2_client_credentials: [
    'tokenUrl',
    'clientId',
    'clientSecret',
    'scope',
    'audience',
    'clientAuthentication',
  ],
  mtls: ['certificate', 'privateKey'],
};

const noTexts: Omit<AuthTexts, 'stored'> = {
  type: 'none',
  username: '',
  password: '',
  token: '',
  tokenUrl: '',
  clientId: '',
  clientSecret: '',
  scope: '',
  audience: '',
  clientAuthentication: 'basic',
  certificate: '',
  privateKey: '',
};

/** The texts of a form. Credentials are empty, because the service never shows them. */
export function authTextsOf(stored: Auth | null): AuthTexts {
  const { updated: _updated, subject: _subject, expires: _expires, ...shown } = stored ?? {};
  return { ...noTexts, ...shown, stored };
}

/** Whether a form leaves the authentication as it is. A change needs all credentials again. */
function keepsAuth(texts: AuthTexts): boolean {
  const before = authTextsOf(texts.stored);
  const fields = [...fieldsOfTypes[texts.type], 'type' as const];
  return fields.every((field) => texts[field] === before[field]);
}

/** The errors of the fields of the chosen type. */
export function faultsOfAuth(texts: AuthTexts): AuthFaults {
  if (keepsAuth(texts)) {
    return noAuthFaults;
  }
  const faults = fieldsOfTypes[texts.type].map((field) => [`auth.${field}`, faultOf(field, texts)] as const);
  return { ...noAuthFaults, ...Object.fromEntries(faults) };
}

function faultOf(field: AuthField, texts: AuthTexts): string | null {
  const rule = rules[field];
  return rule === undefined || rule.isValid(texts[field].trim(), texts) ? null : rule.otherwise;
}

interface Rule {
  readonly isValid: (text: string, texts: AuthTexts) => boolean;
  readonly otherwise: string;
}

const isFilled = (text: string) => text !== '';

const rules: Readonly<Partial<Record<AuthField, Rule>>> = {
  username: {
    isValid: (text) => isFilled(text) && !text.includes(':'),
    otherwise: 'Enter a user name without colons.',
  },
  password: {
    // A new password may be empty. Next to a stored one, an empty field looks as if the password stayed.
    isValid: (text, { stored }) => isFilled(text) || stored?.type !== 'basic',
    otherwise: 'Enter the password, also if it stays the same.',
  },
  token: { isValid: (text) => /^[\x21-\x7e]+$/.test(text), otherwise: 'Enter the token, without spaces.' },
  tokenUrl: {
    isValid: (text) => faultOfUrl(text) === null,
    otherwise: 'Enter the whole URL of the token endpoint, such as https://login.example.com/oauth/token.',
  },
  clientId: { isValid: isFilled, otherwise: 'Enter the client ID.' },
  clientSecret: { isValid: isFilled, otherwise: 'Enter the client secret, also if it stays the same.' },
  certificate: {
    isValid: (text) => text.includes('-----BEGIN CERTIFICATE-----'),
    otherwise: 'Enter PEM text that begins with -----BEGIN CERTIFICATE-----.',
  },
  privateKey: {
    isValid: (text) => text.includes('PRIVATE KEY-----'),
    otherwise: 'Enter PEM text that begins with -----BEGIN PRIVATE KEY-----.',
  },
};

/** The authentication for the body of a request, from valid texts. It is missing if it stays as it is. */
export function changedAuth(texts: AuthTexts): { auth?: AuthInput | null } {
  return keepsAuth(texts) ? {} : { auth: inputOf(texts) };
}

function inputOf(texts: AuthTexts): AuthInput | null {
  const { type, username, password, certificate, privateKey } = texts;
  switch (type) {
    case 'none':
      return null;
    case 'basic':
      return { type, username: username.trim(), password };
    case 'bearer':
      return { type, token: texts.token.trim() };
    case 'oauth2_client_credentials': {
      const [scope, audience] = [texts.scope.trim(), texts.audience.trim()];
      return {
        type,
        tokenUrl: texts.tokenUrl.trim(),
        clientId: texts.clientId.trim(),
        clientSecret: texts.clientSecret,
        ...(scope !== '' && { scope }),
        ...(audience !== '' && { audience }),
        clientAuthentication: texts.clientAuthentication === 'body' ? 'body' : 'basic',
      };
    }
    case 'mtls':
      return { type, certificate, privateKey };
  }
}

/** The authentication on the page of a webhook, or null. */
export function authText(auth: Auth | null): string | null {
  if (auth === null) {
    return null;
  }
  const { type, tokenUrl, clientId, scope, subject, expires } = auth;
  const details = { 'Token URL': tokenUrl, 'Client ID': clientId, Scope: scope, Subject: subject };
  const lines = Object.entries({ ...details, 'Valid until': expires?.slice(0, 10) });
  return [
    wordsOfTypes[type],
    ...lines.flatMap(([name, text]) => (text === undefined ? [] : [`${name}: ${text}`])),
  ].join('\n');
}

export const wordsOfTypes: Readonly<Record<AuthTexts['type'], string>> = {
  none: 'Signature only',
  basic: 'User name and password',
  bearer: 'Bearer token',
  oauth2_client_credentials: 'OAuth 2.0 client credentials',
  mtls: 'Client certificate (mTLS)',
};
