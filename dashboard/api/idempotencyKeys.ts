/** The keys with which repeated requests have their effect once. */
export interface IdempotencyKeys {
  /**
   * The key of a request. Until the request is answered, a repeat with the same content has the same key.
   * @param content a text that differs if the effect of the request differs
   */
  readonly keyFor: (content: string) => string;
  /** Records a final response, after which the same content is a new request. */
  readonly settle: (content: string) => void;
}

interface OpenRequest {
  readonly key: string;
  readonly since: number;
}

/** The time after which the user does not mean the earlier request, in milliseconds. */
const longestOpenMs = 10 * 60 * 1000;

export function createIdempotencyKeys(newKey: () => string, now: () => number): IdempotencyKeys {
  const open = new Map<string, OpenRequest>();
  return {
    keyFor: (content) => {
      const before = open.get(content);
      const isOpen = before !== undefined && now() - before.since < longestOpenMs;
      const request = isOpen ? before : { key: newKey(), since: now() };
      open.set(content, request);
      return request.key;
    },
    settle: (content) => {
      open.delete(content);
    },
  };
}

/** A random key of 128 bits. `crypto.randomUUID` is missing on pages without TLS. */
export function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
