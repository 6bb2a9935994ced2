import type { Change } from '../core/fact.js';
import { validSecrets, type SealedSecret, type SigningSecrets } from './signingSecrets.js';

/**
 * A text that a client has given a webhook and that the service never shows, such as the value of a custom header. It is
 * sealed for its webhook and its name, so that it cannot be opened for another one (`credentialOwner`).
 */
export interface Credential {
  /** The name within the webhook, such as `headers/x-api-key`. */
  readonly name: string;
  readonly value: SealedSecret;
  /** When a client has last changed the text. */
  readonly updated: Date;
}

/** The new text of a credential; null before it exists and after it was removed. */
export interface CredentialChange extends Change<SealedSecret | null> {
  readonly name: string;
}

/** The credentials of a webhook. Missing if it has none, so that the paths of delivery need a single comparison. */
export interface HasCredentials {
  readonly credentials?: readonly Credential[];
}

/** What stands for the text of a credential wherever the service shows one. */
export const credentialMask = '***';

/** The associated data of a sealed credential. */
export function credentialOwner(webhookId: string, name: string): string {
  return `${webhookId}/${name}`;
}

/** The credentials of a webhook after some have changed. */
export function changedCredentials(
  { credentials = [] }: HasCredentials,
  changes: readonly CredentialChange[],
  at: Date,
): HasCredentials {
  const after = new Map(credentials.map((credential) => [credential.name, credential]));
  for (const { name, to: value } of changes) {
    if (value === null) {
      after.delete(name);
    } else if (after.get(name)?.value.sealed !== value.sealed) {
      after.set(name, { name, value, updated: at });
    }
  }
  return after.size === 0 ? {} : { credentials: [...after.values()] };
}

/** Whether two webhooks authenticate with the same sealed texts. */
export function hasSameCredentials(left: HasCredentials, right: HasCredentials): boolean {
  const sealedOf = ({ credentials = [] }: HasCredentials) =>
    JSON.stringify(credentials.map(({ name, value }) => [name, value.sealed]));
  return left.credentials === right.credentials || sealedOf(left) === sealedOf(right);
}

/** The credentials after some were sealed with another encryption key: the same texts, so their time stays. */
export function reencryptedCredentials(
  { credentials }: HasCredentials,
  changes: readonly Change<SealedSecret>[],
): HasCredentials {
  const sealedAgain = new Map(changes.map(({ from, to }) => [from.sealed, to]));
  return credentials === undefined
    ? {}
    : {
        credentials: credentials.map((one) => ({
          ...one,
          value: sealedAgain.get(one.value.sealed) ?? one.value,
        })),
      };
}

/** Something of a webhook that is sealed, and the associated data of its seal. */
export interface Sealed {
  readonly value: SealedSecret;
  readonly owner: string;
}

/** Everything of a webhook that is sealed and in use: the secrets that sign at a given time, and the credentials. */
export function sealedOf(
  {
    id,
    secrets,
    credentials = [],
  }: HasCredentials & { readonly id: string; readonly secrets: SigningSecrets },
  at: Date,
): readonly Sealed[] {
  return [
    ...validSecrets(secrets, at).map(({ secret }) => ({ value: secret, owner: id })),
    ...credentials.map(({ name, value }) => ({ value, owner: credentialOwner(id, name) })),
  ];
}
