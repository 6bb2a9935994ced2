import { UnavailableError } from '../../core/errors.js';
import type { RedisGuard } from './redisGuard.js';

/** One of the streams that an account may follow at once. */
export interface StreamSlot {
  /** Says that the stream still goes on: without it for a while, it is taken for one whose process is gone. */
  keep: () => Promise<void>;
  release: () => Promise<void>;
}

export interface StreamSlots {
  /** Null where the account has as many streams as it may. While Redis is away each process counts by itself. */
  take: (accountId: string, streamId: string) => Promise<StreamSlot | null>;
}

export const maximumStreams = 5;
/** Three times as long as streams take to say that they go on. */
const heldForMs = 45_000;

/** Counts the streams of each account, in all processes that use the same Redis. */
export function createStreamSlots(guard: RedisGuard): StreamSlots {
  const here = new Map<string, number>();
  const countHere = (accountId: string, change: number) => {
    const count = (here.get(accountId) ?? 0) + change;
    if (count === 0) {
      here.delete(accountId);
    } else {
      here.set(accountId, count);
    }
  };

  /** How many there are with this one, which holds until `until`. */
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
      if ((here.get(accountId) ?? 0) >= maximumStreams) {
        return null;
      }
      countHere(accountId, 1);
      const leave = () =>
        whileAway(
          guard.ask((client) => client.zrem(key, streamId)),
          0,
        );
      if ((await whileAway(register(key, streamId), 0)) > maximumStreams) {
        countHere(accountId, -1);
        await leave();
        return null;
      }
      return {
        keep: async () => {
          await whileAway(register(key, streamId), 0);
        },
        release: async () => {
          countHere(accountId, -1);
          await leave();
        },
      };
    },
  };
}

async function whileAway(count: Promise<number>, otherwise: number): Promise<number> {
  try {
    return await count;
  } catch (error) {
    if (error instanceof UnavailableError) {
      return otherwise;
    }
    throw error;
  }
}
