/** A token with which a client authenticates at the brokers. */
export interface Token {
  readonly value: string;
  /** Unix time in milliseconds. */
  readonly expiresAt: number;
}

/** The last part of a token's lifetime, in which a new one is obtained. A failure leaves time to retry. */
const lastPart = 0.2;
/**
 * Brokers end a connection when its token expires. kafkajs authenticates again 10 s earlier, and needs a token that is
 * valid for longer.
 */
const leastValidityMs = 20_000;

interface Held {
  readonly token: Token;
  readonly renewAt: number;
}

/**
 * Shares a token between all connections. It is renewed before it expires; if that fails, the present one is used as long as it is
 * valid. Concurrent callers share one request.
 * @param obtain gets another token
 * @param now the current Unix time in milliseconds
 */
export function createTokenCache(obtain: () => Promise<Token>, now: () => number): () => Promise<Token> {
  let held: Held | null = null;
  let request: Promise<Token> | null = null;

  const renew = async () => {
    const startedAt = now();
    const token = await obtain();
    const reserve = Math.max((token.expiresAt - startedAt) * lastPart, leastValidityMs);
    held = { token, renewAt: token.expiresAt - reserve };
    return token;
  };
  const shareRequest = () => {
    request ??= renew().finally(() => {
      request = null;
    });
    return request;
  };

  return async () => {
    const present = held;
    if (present === null || now() >= present.token.expiresAt) {
      return shareRequest();
    }
    if (now() < present.renewAt) {
      return present.token;
    }
    return shareRequest().catch((error: unknown) => {
      if (now() < present.token.expiresAt) {
        return present.token;
      }
      throw error;
    });
  };
}
