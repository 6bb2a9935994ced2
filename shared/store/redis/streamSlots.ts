import { UnavailableError } from '../../core/errors.js';
import type { RedisGuard } from './redisGuard.js';

/** A slot for one of the concurrent event streams of an account. */
export interface StreamSlot {
  /**
   * Reports that the stream is open. A slot without a report for `heldForMs` expires, because its process may have
   * crashed.
   */
  keep: () => Promise<void>;
  release: () => Promise<void>;
}

export interface StreamSlots {
  /**
   * Takes a slot; null if the account has reached its limit of streams. While Redis is unavailable, each process counts
   * streams alone.
   */
  take: (accountId: string, streamId: string) => Promise<StreamSlot | null>;
}

export const maximumStreams = 5;
/** The time after which a slot without a report expires, in milliseconds. `heldForMs` is three intervals of reports. */
const heldForMs = 45_000;

/** Creates the slots for streams, which count the streams of an account in all processes that use the same Redis. */
export function createStreamSlots(guard: RedisGuard): StreamSlots {
  const local = new Map<string, number>();
  const countLocally = (accountId: string, change: number) => {
    const count = (local.get(accountId) ?? 0) + change;
    if (count === 0) {
      local.delete(accountId);
    } else {
      local.set(accountId, count);
    }
  };

  /** Registers a stream, and returns the number of the account's streams, including the registered stream. */
  const register = (key: string, streamId: string) =>
    guard.ask(async (client) => {
      const now = Date.now();
      const results = await client
        .multi()
        .zremrangebyscore(key, '-inf', now)
        .zadd(key, now + heldForMs, streamId)
        .zcard(key)
        .pexpire(key, heldForMs)
        .exec();
      return Number(results?.[2]?.[1] ?? 0);
    });

  return {
    take: async (accountId, streamId) => {
      const key = `postrider:streams:${accountId}`;
      if ((local.get(accountId) ?? 0) >= maximumStreams) {
        return null;
      }
      countLocally(accountId, 1);
      const remove = () =>
        orWhileUnavailable(
          guard.ask((client) => client.zrem(key, streamId)),
          0,
        );
      if ((await orWhileUnavailable(register(key, streamId), 0)) > maximumStreams) {
        countLocally(accountId, -1);
        await remove();
        return null;
      }
      return {
        keep: async () => {
          await orWhileUnavailable(register(key, streamId), 0);
        },
        release: async () => {
          countLocally(accountId, -1);
          await remove();
        },
      };
    },
  };
}

async function orWhileUnavailable(count: Promise<number>, otherwise: number): Promise<number> {
  try {
    return await count;
  } catch (error) {
    if (error instanceof UnavailableError) {
      return otherwise;
    }
    throw error;
  }
}
