import { singleFlight } from '../../concurrency/singleFlight.js';

/** A token with which a client authenticates at the brokers. */
export interface Token {
  readonly value: string;
  /** When the token expires, as Unix time in milliseconds. */
  readonly expiresAt: number;
}

/**
 * The last fraction of a token's lifetime, in which the cache obtains a new token. If the request for a token fails,
 * the cache has time for a retry.
 */
const lastPart = 0.2;
/**
 * The shortest remaining validity of a token that is used, in milliseconds. Brokers end a connection when its token
 * expires. kafkajs authenticates again 10 s before the end, and needs a token that is valid for more than 10 s.
 */
const leastValidityMs = 20_000;

interface Held {
  readonly token: Token;
  readonly renewAt: number;
}

/**
 * Shares a token between all connections. The cache renews the token before it expires. If the renewal fails, the
 * current token is used until it expires. Concurrent callers share one request for a token.
 * @param obtain requests a new token
 * @param now the current Unix time in milliseconds
 */
export function createTokenCache(obtain: () => Promise<Token>, now: () => number): () => Promise<Token> {
  let held: Held | null = null;

  const renew = singleFlight(async () => {
    const startedAt = now();
    const token = await obtain();
    const reserve = Math.max((token.expiresAt - startedAt) * lastPart, leastValidityMs);
    held = { token, renewAt: token.expiresAt - reserve };
    return token;
  });

  return async () => {
    const present = held;
    if (present === null || now() >= present.token.expiresAt) {
      return renew();
    }
    if (now() < present.renewAt) {
      return present.token;
    }
    return renew().catch((error: unknown) => {
      if (now() < present.token.expiresAt) {
        return present.token;
      }
      throw error;
    });
  };
}
