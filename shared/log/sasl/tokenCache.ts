/** A token that a client shows to the brokers. */
export interface Token {
  readonly value: string;
  /** Unix time in milliseconds. */
  readonly expiresAt: number;
}

/** The last part of a token's life, in which another one is obtained: a failure to obtain one leaves time to retry. */
const lastPart = 0.2;
/**
 * Brokers end a connection with the token that it was authenticated by. kafkajs authenticates it again 10 s before, for which it
 * needs a token that is valid for longer.
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
 * @param now the present Unix time in milliseconds
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
