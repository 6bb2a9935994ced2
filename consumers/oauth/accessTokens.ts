import { createBoundedMap } from '../../shared/concurrency/boundedMap.js';
import type { OAuthClient } from '../../shared/domain/webhooks/authentication.js';
import type { AttemptFailure } from '../http/attemptFailure.js';
import type { AccessToken, RequestToken } from './requestToken.js';

/** The tokens of the webhooks that authenticate by OAuth 2.0. All attempts of a process share them. */
export interface AccessTokens {
  /**
   * Returns a valid token, or why there is none.
   * @param owner the webhook and its version, which together identify the client
   * @param timeoutMs the time limit of a request that this call begins, in milliseconds
   * @throws UnavailableError if the egress proxy is at fault
   */
  readonly obtain: (
    owner: string,
    client: OAuthClient,
    timeoutMs: number,
  ) => Promise<string | AttemptFailure>;
  /**
   * Drops a token that the webhook has rejected, unless another token has replaced it. A token that was requested in the
   * last second stays in use, so that a webhook that rejects each token does not lead to a request for each attempt.
   */
  readonly drop: (owner: string, token: string) => void;
}

interface Held {
  readonly value: string;
  /** The time from which on a new token is requested, while this one is used. */
  readonly renewAt: number;
  readonly expiresAt: number;
}

interface Entry {
  held: Held | null;
  request: Promise<AccessToken | AttemptFailure> | null;
  /** The last failure, until a request has succeeded. */
  failure: AttemptFailure | null;
  /** The time before which no token is replaced, and no request follows a failure. */
  retryAt: number;
}

/** A token is replaced in the last part of its life, and at least this long before its end. */
const lastPart = 0.1;
const leastReserveMs = 30_000;
/** A token that ends so soon may expire on its way to the webhook. */
const travelMs = 5_000;
/** How long a token without a stated lifetime is used. */
const unstatedLifeMs = 5 * 60_000;
/** The least time between a request and the replacement of its token, and between a failure and the next request. */
const pauseAfterRequestMs = 1_000;
/** The most tokens that are replaced at once in the background. An attempt waits for each other request. */
const maximumRenewals = 64;
const defaultCapacity = 10_000;

interface AccessTokenDependencies {
  readonly requestToken: RequestToken;
  /** Milliseconds of the monotonic clock. */
  readonly now: () => number;
  /** The most webhooks whose tokens are remembered. */
  readonly capacity?: number;
}

/**
 * Keeps one token for each webhook. Attempts that need a token at the same time share one request, and fail together if
 * it fails. An old token is replaced before it expires, while attempts still use it.
 */
export function createAccessTokens(dependencies: AccessTokenDependencies): AccessTokens {
  const { requestToken, now, capacity = defaultCapacity } = dependencies;
  const entries = createBoundedMap<string, Entry>(capacity);
  let renewals = 0;

  const entryOf = (owner: string): Entry => {
    const known = entries.get(owner);
    if (known !== undefined) {
      return known;
    }
    const entry = { held: null, request: null, failure: null, retryAt: -Infinity };
    entries.set(owner, entry);
    return entry;
  };

  const request = async (entry: Entry, client: OAuthClient, timeoutMs: number) => {
    const begin = now();
    const result = await requestToken(client, timeoutMs);
    if ('code' in result) {
      entry.failure = result;
    } else {
      entry.failure = null;
      entry.held = heldFrom(begin, result);
    }
    return result;
  };

  /** The request in flight, or a new one. */
  const share = (entry: Entry, client: OAuthClient, timeoutMs: number) => {
    entry.request ??= request(entry, client, timeoutMs).finally(() => {
      entry.request = null;
      entry.retryAt = now() + pauseAfterRequestMs;
    });
    return entry.request;
  };

  /** Replaces a token without making an attempt wait. A failure leaves the present token in use. */
  const renew = async (entry: Entry, client: OAuthClient, timeoutMs: number) => {
    renewals += 1;
    await share(entry, client, timeoutMs).catch(() => undefined);
    renewals -= 1;
  };

  const isDue = ({ held, request: inFlight, retryAt }: Entry, time: number) =>
    held !== null && time >= Math.max(held.renewAt, retryAt) && inFlight === null;

  return {
    obtain: async (owner, client, timeoutMs) => {
      const entry = entryOf(owner);
      const { held, failure } = entry;
      const time = now();
      if (held !== null && time < held.expiresAt) {
        if (isDue(entry, time) && renewals < maximumRenewals) {
          void renew(entry, client, timeoutMs);
        }
        return held.value;
      }
      if (entry.request === null && failure !== null && time < entry.retryAt) {
        return failure;
      }
      const result = await share(entry, client, timeoutMs);
      return 'code' in result ? result : result.value;
    },

    drop: (owner, token) => {
      const entry = entries.get(owner);
      if (entry?.held?.value === token && now() >= entry.retryAt) {
        entry.held = null;
      }
    },
  };
}

/** The use of a token whose life is counted from the begin of its request, because the server may count from then on. */
function heldFrom(begin: number, { value, lifeMs }: AccessToken): Held {
  const life = lifeMs ?? unstatedLifeMs;
  const reserve = Math.min(life / 2, Math.max(leastReserveMs, life * lastPart));
  return {
    value,
    renewAt: begin + life - reserve,
    expiresAt: begin + life - Math.min(travelMs, life * lastPart),
  };
}
