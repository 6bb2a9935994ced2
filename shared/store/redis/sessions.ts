import type { ChainableCommander } from 'ioredis';
import { z } from 'zod';

import type { RedisGuard } from './redisGuard.js';

const sessionSchema = z.object({
  accountId: z.string(),
  userId: z.string(),
  /** The user's password at sign-in. Another password ends the session. */
  passwordId: z.string(),
  /** The account's number of suspensions at sign-in. */
  suspensions: z.number(),
  created: z.iso.datetime().transform((text) => new Date(text)),
});

/** The stored part of a session. The account decides whether it is still valid. */
export type StoredSession = z.output<typeof sessionSchema>;

/**
 * Sessions of users, by the SHA-256 of the value in their browser. Only Redis stores them: if it is emptied, users sign
 * in again. Each call throws UnavailableError while Redis is unavailable.
 */
export interface Sessions {
  /** Fails if no session can be created now, before any other work. */
  checkReachable: () => Promise<void>;
  begin: (id: string, session: StoredSession) => Promise<void>;
  /** Null if the session does not exist or has ended. `use` extends its idle time. */
  find: (id: string, look: 'use' | 'peek') => Promise<StoredSession | null>;
  end: (id: string) => Promise<void>;
}

/** A session ends after this time without use. */
export const idleSeconds = 12 * 60 * 60;
/** A session ends after this time, however much it is used. */
export const longestSeconds = 7 * 24 * 60 * 60;
/** The most sessions of one user. Another one ends the oldest. */
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
      // The list comes first: a session that is missing in it could not be ended as the oldest one. In a cluster the
      // keys of sessions are in different hash slots, so each needs its own command.
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
 * @throws Error if one of its commands has failed
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
