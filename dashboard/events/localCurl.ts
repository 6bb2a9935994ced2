/** The request of an attempt that a developer repeats with a receiver on the own machine. */
interface LocalRequest {
  /** The URL of the local receiver. */
  readonly url: string;
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
  /** The signing secret of the webhook: `whsec_` and standard base64. */
  readonly secret: string;
}

const prefix = 'whsec_';

/** The error of an entered signing secret, or null if the secret has the right form. */
export function faultOfSecret(secret: string): string | null {
  return secret.startsWith(prefix) && keyOf(secret) !== null
    ? null
    : 'A signing secret consists of whsec_ and Base64 text.';
}

/**
 * A curl command that sends the request to a local receiver, with a new timestamp and a new signature of Standard
 * Webhooks. Browsers offer the cryptography only to pages with TLS and on localhost.
 * @throws TypeError if the secret has the wrong form
 */
export async function localCurl(request: LocalRequest): Promise<string> {
  const { url, id, timestampSeconds, body } = request;
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': await signatureOf({ ...request, timestamp: String(timestampSeconds) }),
  };
  return [
    `curl ${quoted(url)} \\`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)} \\`),
    `  --data-binary ${quoted(body)}`,
  ].join('\n');
}

interface SignedContent extends Pick<LocalRequest, 'id' | 'body' | 'secret'> {
  /** The value of the header `webhook-timestamp`. */
  readonly timestamp: string;
}

/**
 * The signature of Standard Webhooks.
 * @throws TypeError if the secret has the wrong form
 */
export async function signatureOf({ id, timestamp, body, secret }: SignedContent): Promise<string> {
  const bytes = keyOf(secret);
  if (bytes === null) {
    throw new TypeError('The signing secret has the wrong form.');
  }
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  return `v1,${btoa(String.fromCharCode(...signature))}`;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(secret.slice(prefix.length)), (character) => character.charCodeAt(0));
  } catch {
    // The text is not Base64.
    return null;
  }
}

/** A text as one argument of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
