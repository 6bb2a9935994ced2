import { createHmac } from 'node:crypto';

const secretPrefix = 'whsec_';
/** Standard base64 with padding. `Buffer.from` would skip invalid characters. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;

/** The signed content of one attempt. */
interface SignedMessage {
  /** The event's id. It is the same for every attempt, so that receivers recognize duplicates. */
  readonly id: string;
  /** Unix seconds of the attempt. Receivers reject timestamps that are minutes old. */
  readonly timestampSeconds: number;
  /** The exact bytes that are sent. */
  readonly body: Buffer;
  /** All valid secrets. During a rotation there are several. */
  readonly secrets: readonly Buffer[];
}

interface SignatureHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  /** One `v1,<base64>` per secret, separated by spaces. */
  readonly 'webhook-signature': string;
}

/** The three headers of Standard Webhooks 1.0.0: HMAC-SHA256 over `id.timestamp.body`, once with each secret. */
export function signatureHeaders({ id, timestampSeconds, body, secrets }: SignedMessage): SignatureHeaders {
  const timestamp = String(timestampSeconds);
  const start = `${id}.${timestamp}.`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(start).update(body).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/**
 * The key of a secret in the form that users see: `whsec_` and standard base64.
 * @throws TypeError if the form is wrong. The message never contains the secret.
 */
export function secretBytes(secret: string): Buffer {
  const encoded = secret.slice(secretPrefix.length);
  if (!secret.startsWith(secretPrefix) || !base64.test(encoded)) {
    throw new TypeError('a webhook secret is whsec_ followed by standard base64');
  }
  return Buffer.from(encoded, 'base64');
}
