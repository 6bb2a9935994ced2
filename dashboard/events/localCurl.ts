import { keyOfSecret } from '../webhooks/secretRules.js';

/** The request of an attempt that a developer repeats with a receiver on the own machine. */
interface LocalRequest {
  /** The URL of the local receiver. */
  readonly url: string;
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
  /** The signing secret of the webhook: standard base64, with or without `whsec_`. */
  readonly secret: string;
  /** The headers of the attempt by lower-case name, or null if they were not stored. */
  readonly requestHeaders: Readonly<Record<string, string>> | null;
}

/** The value of a header with a credential, as the service stores it. */
export const maskedValue = '***';
/** The headers that curl computes for its own connection and body. */
const ofConnection: ReadonlySet<string> = new Set(['host', 'content-length']);

/**
 * A curl command that sends the request to a local receiver, with a new timestamp and a new signature of Standard
 * Webhooks. Browsers offer the cryptography only to pages with TLS and on localhost.
 * @throws TypeError if the secret has the wrong form
 */
export async function localCurl(request: LocalRequest): Promise<string> {
  const { url, id, timestampSeconds, body } = request;
  const stored = request.requestHeaders ?? { 'content-type': 'application/json' };
  const beginning = signaturePrefixOf(stored);
  const headers = {
    ...Object.fromEntries(Object.entries(stored).filter(([name]) => !ofConnection.has(name))),
    [`${beginning}-id`]: id,
    [`${beginning}-timestamp`]: String(timestampSeconds),
    [`${beginning}-signature`]: await signatureOf({ ...request, timestamp: String(timestampSeconds) }),
  };
  return [
    `curl ${quoted(url)} \\`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)} \\`),
    `  --data-binary ${quoted(body)}`,
  ].join('\n');
}

/** The beginning of the names of the signature headers, which a webhook may choose. */
function signaturePrefixOf(headers: Readonly<Record<string, string>>): string {
  const [name = 'webhook-signature'] = Object.entries(headers)
    .filter(([, value]) => value.startsWith(`v1,${maskedValue}`))
    .map(([each]) => each);
  return name.slice(0, -'-signature'.length);
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
  const bytes = keyOfSecret(secret);
  if (bytes === null) {
    throw new TypeError('The signing secret has the wrong form.');
  }
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  return `v1,${btoa(String.fromCharCode(...signature))}`;
}

/** A text as one argument of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
