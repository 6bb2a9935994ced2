import { UnavailableError } from '../../core/errors.js';
import { commonLimitKey, type LimitOwner } from '../../domain/tenants/deliveryTenant.js';
import type { RedisGuard } from './redisGuard.js';

/** A slot for one of the concurrent event streams of an account or a tenant. */
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
   * Takes a slot; null if the account or tenant has reached its limit of streams, or all tenants of the account have
   * reached theirs. While Redis is unavailable, each process counts streams alone.
   */
  take: (owner: LimitOwner, streamId: string) => Promise<StreamSlot | null>;
}

/** The maximum number of streams of an account without its tenants, and of each tenant. */
export const maximumStreams = 5;
/** The maximum number of streams of all tenants of an account. */
export const maximumStreamsOfTenants = 50;
/** The time after which a slot without a report expires, in milliseconds. `heldForMs` is three intervals of reports. */
const heldForMs = 45_000;

interface StreamLimit {
  /** The Redis key of the streams that count. */
  readonly key: string;
  readonly maximum: number;
}

const keyOf = (owner: string) => `postrider:streams:${owner}`;

/** The limits that a stream counts for. */
function limitsOf(owner: LimitOwner): readonly StreamLimit[] {
  const { lifeId } = owner;
  const common = keyOf(commonLimitKey(owner));
  return lifeId === null
    ? [{ key: common, maximum: maximumStreams }]
    : [
        { key: keyOf(lifeId), maximum: maximumStreams },
        { key: common, maximum: maximumStreamsOfTenants },
      ];
}

/** Creates the slots for streams, which count the streams of an owner in all processes that use the same Redis. */
export function createStreamSlots(guard: RedisGuard): StreamSlots {
  const local = new Map<string, number>();
  const countLocally = (limits: readonly StreamLimit[], change: number) => {
    for (const { key } of limits) {
      const count = (local.get(key) ?? 0) + change;
      if (count === 0) {
        local.delete(key);
      } else {
        local.set(key, count);
      }
    }
  };

  /** Registers a stream, and returns the number of streams that count for the limit, including the registered stream. */
  const register = ({ key }: StreamLimit, streamId: string) =>
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

  /**
   * Registers a stream for one limit after the other, so that a tenant at its limit uses nothing of the limit of all
   * tenants.
   * @returns whether no limit is exceeded
   */
  const registerAll = async (limits: readonly StreamLimit[], streamId: string): Promise<boolean> => {
    for (const limit of limits) {
      if ((await orWhileUnavailable(register(limit, streamId), 0)) > limit.maximum) {
        return false;
      }
    }
    return true;
  };

  const removeAll = async (limits: readonly StreamLimit[], streamId: string): Promise<void> => {
    const removals = limits.map(({ key }) => guard.ask((client) => client.zrem(key, streamId)));
    await Promise.all(removals.map((removal) => orWhileUnavailable(removal, 0)));
  };

  return {
    take: async (owner, streamId) => {
      const limits = limitsOf(owner);
      if (limits.some(({ key, maximum }) => (local.get(key) ?? 0) >= maximum)) {
        return null;
      }
      countLocally(limits, 1);
      const release = async () => {
        countLocally(limits, -1);
        await removeAll(limits, streamId);
      };
      if (!(await registerAll(limits, streamId))) {
        await release();
        return null;
      }
      return {
        keep: async () => {
          await registerAll(limits, streamId);
        },
        release,
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
