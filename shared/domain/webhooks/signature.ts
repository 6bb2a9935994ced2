import { createHmac } from 'node:crypto';

const secretPrefix = 'whsec_';
/** The pattern of standard base64 with padding. `Buffer.from` would skip invalid characters. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;

/** The signed content of one attempt. */
interface SignedMessage {
  /** The event's id. Every attempt of a delivery has the same id, so that receivers recognize duplicates. */
  readonly id: string;
  /** The time of the attempt in Unix seconds. Receivers reject timestamps that are minutes old. */
  readonly timestampSeconds: number;
  /** The exact bytes of the request's body. */
  readonly body: Buffer;
  /** All valid signing secrets of the webhook. After a rotation, earlier secrets stay valid for some time. */
  readonly secrets: readonly Buffer[];
  /** The beginning of the names of the headers, for receivers of webhooks of another system. */
  readonly prefix?: string | undefined;
}

const standardPrefix = 'webhook';

/** The name of the header that contains the signatures. */
export function signatureHeaderName(prefix = standardPrefix): string {
  return `${prefix}-signature`;
}

/**
 * Whether a header is one of the three signature headers.
 * @param name in lower case
 * @param prefix the beginning of their names; null for the standard one
 */
export function isSignatureHeader(name: string, prefix: string | null): boolean {
  return ['id', 'timestamp', 'signature'].some((part) => name === `${prefix ?? standardPrefix}-${part}`);
}

/**
 * The three headers of Standard Webhooks 1.0.0: HMAC-SHA256 over `id.timestamp.body`. The signature header has one
 * signature `v1,<base64>` for each signing secret, separated by spaces.
 */
export function signatureHeaders(message: SignedMessage): Record<string, string> {
  const { id, timestampSeconds, body, secrets, prefix = standardPrefix } = message;
  const timestamp = String(timestampSeconds);
  const start = `${id}.${timestamp}.`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(start).update(body).digest('base64')}`,
  );
  return {
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: timestamp,
    [signatureHeaderName(prefix)]: signatures.join(' '),
  };
}

/** The lengths of a secret, in bytes (Standard Webhooks 1.0.0, "Signature scheme"). */
const [fewestBytes, mostBytes] = [24, 64];

/**
 * The key of a secret that a client brings from another system: `whsec_` and standard base64, or base64 alone, of 24 to
 * 64 bytes. Null for another text.
 */
export function importedSecret(text: string): Buffer | null {
  const encoded = text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : text;
  const key = base64.test(encoded) ? Buffer.from(encoded, 'base64') : null;
  return key !== null && key.length >= fewestBytes && key.length <= mostBytes ? key : null;
}

/**
 * The key of a secret in the form that users see: `whsec_` and standard base64.
 * @throws TypeError if the form is wrong. The error's message never contains the secret.
 */
export function secretBytes(secret: string): Buffer {
  const encoded = secret.slice(secretPrefix.length);
  if (!secret.startsWith(secretPrefix) || !base64.test(encoded)) {
    throw new TypeError('a webhook secret is whsec_ followed by standard base64');
  }
  return Buffer.from(encoded, 'base64');
}
