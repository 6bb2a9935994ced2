import {
  authenticationOf,
  authorizationOf,
  authTypeOf,
  sentCredentials,
  type Authentication,
} from '../../shared/domain/webhooks/authentication.js';
import { credentialOwner, type Credential } from '../../shared/domain/webhooks/credentials.js';
import { headerNameOf } from '../../shared/domain/webhooks/customHeaders.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { SecretBox } from '../../shared/security/secretBox.js';
import { createScrub, type Scrub } from './scrub.js';

/** The opened credentials of a webhook. */
export interface RequestCredentials {
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Masks the values that a receiver echoes. */
  readonly scrub: Scrub;
}

/**
 * The opened credentials of a webhook; undefined if it has none.
 * @throws Error if none of the encryption keys opens a credential
 */
export type OpenCredentials = (webhook: Pick<Webhook, 'id' | 'credentials'>) => OpenedCredentials | undefined;

export interface OpenedCredentials extends RequestCredentials {
  /** Null if the webhook has none. */
  readonly auth: Authentication | null;
  /** The values that the scrub masks. */
  readonly values: readonly string[];
}

/**
 * A cache of opened credentials, because opening them costs CPU time. They live as long as the webhook state that
 * contains the sealed ones.
 */
export function createOpenCredentials(secrets: Pick<SecretBox, 'open'>): OpenCredentials {
  const known = new WeakMap<readonly Credential[], OpenedCredentials>();

  const textOf = (webhookId: string, { name, value }: Credential): string => {
    const bytes = secrets.open(value, credentialOwner(webhookId, name));
    if (bytes === null) {
      throw new Error(`none of the encryption keys opens ${name} of the webhook ${webhookId}`);
    }
    return bytes.toString();
  };

  const open = (webhookId: string, credentials: readonly Credential[]): OpenedCredentials => {
    const headers = credentials.flatMap((credential) => {
      const name = headerNameOf(credential);
      return name === null ? [] : [[name, textOf(webhookId, credential)] as const];
    });
    const sealedAuth = credentials.find((credential) => authTypeOf(credential) !== null);
    const auth = sealedAuth === undefined ? null : authenticationOf(textOf(webhookId, sealedAuth));
    const authorization = auth === null ? null : authorizationOf(auth);
    const values = [
      ...headers.flatMap(([, value]) => [value, ...withoutScheme(value)]),
      ...(auth === null ? [] : sentCredentials(auth)),
    ];
    const all = { ...Object.fromEntries(headers), ...(authorization !== null && { authorization }) };
    return { headers: all, auth, values, scrub: createScrub(values) };
  };

  return ({ id, credentials }) => {
    if (credentials === undefined) {
      return undefined;
    }
    const opened = known.get(credentials) ?? open(id, credentials);
    known.set(credentials, opened);
    return opened;
  };
}

/** The credentials behind an authentication scheme (RFC 9110 section 11.4), which a receiver may show without it. */
function withoutScheme(value: string): readonly string[] {
  const [, credentials] = /^(?:basic|bearer|token) +(.+)$/iu.exec(value) ?? [];
  return credentials === undefined ? [] : [credentials];
}
