import type { ChainableCommander } from 'ioredis';
import { z } from 'zod';

import type { RedisGuard } from './redisGuard.js';

const sessionSchema = z.object({
  accountId: z.string(),
  userId: z.string(),
  /** The person's password when the session was begun: its end is the session's. */
  passwordId: z.string(),
  /** The account's when it was begun. */
  suspensions: z.number(),
  created: z.iso.datetime().transform((text) => new Date(text)),
});

/** What is kept of a session. Whether it still stands is for the account to say. */
export type StoredSession = z.output<typeof sessionSchema>;

/**
 * Sessions of people, by the SHA-256 of the value that their browser has. They are in Redis alone: where it is emptied,
 * people sign in again. Each call throws UnavailableError while Redis is away.
 */
export interface Sessions {
  /** Fails where a session could not be begun now, before anything is done for one. */
  checkReachable: () => Promise<void>;
  begin: (id: string, session: StoredSession) => Promise<void>;
  /** Null where there is none, or it has ended. A look that is a use moves its idle time on. */
  find: (id: string, look: 'use' | 'peek') => Promise<StoredSession | null>;
  end: (id: string) => Promise<void>;
}

/** A session that is not used for so long ends. */
export const idleSeconds = 12 * 60 * 60;
/** However much it is used. */
export const longestSeconds = 7 * 24 * 60 * 60;
/** Of one person at once: with one more the oldest ends. */
const maximumOfUser = 20;

const keyOf = (id: string) => `postrider:session:${id}`;
const listOf = (userId: string) => `postrider:sessions:${userId}`;

export function createSessions(guard: RedisGuard): Sessions {
  return {
    checkReachable: async () => {
      await guard.ask((client) => client.ping());
    },
    begin: async (id, session) => {
      const list = listOf(session.userId);
      // First the list: a session that is not in it could not be ended as the oldest one. The keys of sessions are in other hash slots
      // of a cluster, so that each has a command of its own.
      const results = await guard.ask((client) =>
        executed(
          client
            .multi()
            .lpush(list, id)
            .lrange(list, maximumOfUser, -1)
            .ltrim(list, 0, maximumOfUser - 1)
            .expire(list, longestSeconds),
        ),
      );
      const surplus = z.array(z.string()).parse(results[1]);
      await guard.ask((client) =>
        Promise.all([
          client.set(keyOf(id), JSON.stringify(session), 'EX', idleSeconds),
          ...surplus.map((oldest) => client.del(keyOf(oldest))),
        ]),
      );
    },
    find: async (id, look) => {
      const text = await guard.ask((client) =>
        look === 'use' ? client.getex(keyOf(id), 'EX', idleSeconds) : client.get(keyOf(id)),
      );
      return text === null ? null : sessionSchema.parse(JSON.parse(text));
    },
    end: async (id) => {
      await guard.ask((client) => client.del(keyOf(id)));
    },
  };
}

/**
 * The results of a transaction.
 * @throws Error where one of its commands has failed
 */
async function executed(transaction: ChainableCommander): Promise<readonly unknown[]> {
  const results = (await transaction.exec()) ?? [];
  return results.map(([error, result]) => {
    if (error !== null) {
      throw error;
    }
    return result;
  });
}
