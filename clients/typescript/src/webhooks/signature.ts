/**
 * The signatures of Standard Webhooks 1.0.0: HMAC-SHA256 of `id.timestamp.body`, in Base64, after `v1,`.
 */

/** What is signed. */
export interface SignedContent {
  readonly id: string;
  /** The text of the header, in Unix seconds. */
  readonly timestamp: string;
  readonly body: RawBody;
}

/** The body of a request as it was received: a text, or better its bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** The signing secrets of a webhook: `whsec_` and Base64, or Base64 alone. It has several while one is rotated. */
export type Secrets = string | readonly string[];

const prefix = 'whsec_';
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;
const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/**
 * One signature for each secret, in their order.
 * @throws TypeError if there is no secret, or one has the wrong form. The message never contains it.
 */
export async function signaturesOf(content: SignedContent, secrets: Secrets): Promise<readonly string[]> {
  const keys = keysOf(secrets);
  const bytes = bytesOf(content);
  return Promise.all(keys.map((key) => signatureOf(bytes, key)));
}

async function signatureOf(content: Uint8Array<ArrayBuffer>, key: Uint8Array<ArrayBuffer>): Promise<string> {
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign(algorithm.name, imported, content);
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`;
}

/** @param secrets undefined in JavaScript if the variable of the environment is not set */
function keysOf(secrets: Secrets | undefined): readonly Uint8Array<ArrayBuffer>[] {
  const list = typeof secrets === 'string' ? [secrets] : (secrets ?? []);
  if (list.length === 0) {
    throw new TypeError('There is no signing secret. Pass the secret of the webhook.');
  }
  return list.map(keyOf);
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  if (!base64.test(text)) {
    throw new TypeError(
      'A signing secret has the wrong form: it is whsec_ and Base64 text. Copy it again from the response that created ' +
        'or rotated it. An API key is no signing secret.',
    );
  }
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function bytesOf({ id, timestamp, body }: SignedContent): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(`${id}.${timestamp}.`);
  const rest = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const bytes = new Uint8Array(start.length + rest.length);
  bytes.set(start);
  bytes.set(rest, start.length);
  return bytes;
}

/** Whether two texts are equal. The time that it takes does not say where they differ. */
export function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let index = 0; index < one.length; index += 1) {
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  }
  return difference === 0;
}
