import { createHmac } from 'node:crypto';

const secretPrefix = 'whsec_';
/** Standard base64 with its padding; `Buffer.from` would skip what it cannot read. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;

/** What one attempt signs. */
interface SignedMessage {
  /** The event's id: the same for every attempt, so that receivers can tell a repeat. */
  readonly id: string;
  /** Unix seconds of the attempt; receivers refuse what is minutes old. */
  readonly timestampSeconds: number;
  /** The bytes exactly as they are sent. */
  readonly body: Buffer;
  /** Every secret that is valid now: more than one while a rotation lasts. */
  readonly secrets: readonly Buffer[];
}

interface SignatureHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  /** One `v1,<base64>` per secret, with a space between. */
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
 * The key behind a secret as users see it: `whsec_` and standard base64.
 * @throws TypeError where it is not written so; the message never repeats it
 */
export function secretBytes(secret: string): Buffer {
  const encoded = secret.slice(secretPrefix.length);
  if (!secret.startsWith(secretPrefix) || !base64.test(encoded)) {
    throw new TypeError('a webhook secret is whsec_ followed by standard base64');
  }
  return Buffer.from(encoded, 'base64');
}
