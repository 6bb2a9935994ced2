import { createHash } from 'node:crypto';

import type { Logger } from '../../core/logger.js';
import type { RedisClient } from '../redis/client.js';
import type { RedisGuard } from '../redis/redisGuard.js';
import { createClockWatch, type ClockWatch } from './clockWatch.js';
import { permitScript } from './permitScript.js';

/** The rate limit of a webhook: the highest number of attempts in any window of this length. */
export interface RateLimit {
  readonly limit: number;
  readonly per: 'second' | 'minute' | 'hour';
}

/** The answer to a request for permits. Times are in milliseconds. */
export type Permits =
  | {
      readonly granted: number;
      /** The time at which the permits expire, by the monotonic clock. An attempt must start before. */
      readonly expiresAt: number;
    }
  | {
      readonly granted: 0;
      /** The time until a permit may be granted. */
      readonly waitMs: number;
    };

/** The permits to start attempts of webhooks with a rate limit, shared by all processes that use the same Redis. */
export interface RatePermits {
  /**
   * Begins the wait for a Redis that has no counts, before the first permit is needed.
   * @throws UnavailableError if Redis is unavailable
   */
  readonly begin: () => Promise<void>;
  /**
   * Takes permits, at most as many as are free.
   * @throws UnavailableError if Redis is unavailable. Without Redis there are no permits.
   */
  readonly take: (webhookId: string, rateLimit: RateLimit, wanted: number) => Promise<Permits>;
}

export interface RatePermitsDependencies {
  readonly guard: RedisGuard;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly logger: Pick<Logger, 'warn'>;
}

const windowMs = { second: 1000, minute: 60_000, hour: 3_600_000 } as const;
/** A permit expires a hundredth of its window before the end of its tenth, so a jump of this length exceeds no limit. */
const marginShare = 0.01;
/** The hash tag places all keys on one node of a cluster, because the script compares them in one step. */
const keyPrefix = '{postrider:permits}';

type Per = RateLimit['per'];
const pers: readonly Per[] = ['second', 'minute', 'hour'];

export function createRatePermits({ guard, now, logger }: RatePermitsDependencies): RatePermits {
  const runScript = createScriptRunner();
  const watches: Readonly<Record<Per, ClockWatch>> = {
    second: createClockWatch(windowMs.second * marginShare),
    minute: createClockWatch(windowMs.minute * marginShare),
    hour: createClockWatch(windowMs.hour * marginShare),
  };

  const ask = async (webhookId: string, { limit, per }: RateLimit, wanted: number) => {
    const sentAt = now();
    const [granted, ms, serverTime] = await guard.ask((client) =>
      runScript(client, [knownKey(per), `${keyPrefix}:${webhookId}:${per}`], [windowMs[per], limit, wanted]),
    );
    return { granted, ms, sentAt, receivedAt: now(), serverTime };
  };

  return {
    begin: async () => {
      await Promise.all(pers.map((per) => ask('', { limit: 1, per }, 0)));
    },
    take: async (webhookId, rateLimit, wanted) => {
      const { per } = rateLimit;
      const answer = await ask(webhookId, rateLimit, wanted);
      if (watches[per].observe(answer)) {
        logger.warn(
          { per },
          'the clock of Redis has jumped: webhooks with a rate limit wait for a full window',
        );
        await guard.ask((client) => client.del(knownKey(per)));
        return { granted: 0, waitMs: windowMs[per] };
      }
      return answer.granted > 0
        ? { granted: answer.granted, expiresAt: answer.sentAt + answer.ms }
        : { granted: 0, waitMs: answer.ms };
    },
  };
}

function knownKey(per: Per): string {
  return `${keyPrefix}:known:${per}`;
}

type ScriptAnswer = readonly [granted: number, ms: number, serverTime: number];

type RunScript = (
  client: RedisClient,
  keys: readonly string[],
  values: readonly number[],
) => Promise<ScriptAnswer>;

/** Names the script by its hash. A Redis that does not know the script yet gets its text. */
function createScriptRunner(): RunScript {
  const hash = createHash('sha1').update(permitScript).digest('hex');
  return async (client, keys, values) => {
    const answer: unknown = await client
      .evalsha(hash, keys.length, ...keys, ...values)
      .catch((error: unknown) => {
        if (error instanceof Error && error.message.startsWith('NOSCRIPT')) {
          return client.eval(permitScript, keys.length, ...keys, ...values);
        }
        throw error;
      });
    return scriptAnswer(answer);
  };
}

function scriptAnswer(answer: unknown): ScriptAnswer {
  const [granted, ms, serverTime] = Array.isArray(answer) ? answer.map(Number) : [];
  if (granted === undefined || ms === undefined || serverTime === undefined) {
    throw new Error(`Redis returned ${JSON.stringify(answer)} for permits`);
  }
  return [granted, ms, serverTime];
}
