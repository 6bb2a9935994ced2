import { z } from 'zod';

import { executed } from './client.js';
import type { RedisGuard } from './redisGuard.js';

const sessionSchema = z.object({
  accountId: z.string(),
  userId: z.string(),
  /** The id of the user's password at sign-in. A new password ends the session. */
  passwordId: z.string(),
  /** The account's number of suspensions at sign-in. Another suspension of the account ends the session. */
  suspensions: z.number(),
  created: z.iso.datetime().transform((text) => new Date(text)),
});

/** What Redis stores of a session. The account's document decides whether the session is still valid. */
export type StoredSession = z.output<typeof sessionSchema>;

/**
 * The sessions of users. A session's id is the SHA-256 of the value in the user's browser. Only Redis stores sessions,
 * so users must sign in again after Redis was emptied. Each call throws `UnavailableError` while Redis is unavailable.
 */
export interface Sessions {
  /** Fails if Redis cannot store a session now. A sign-in calls `checkReachable` before any other step. */
  checkReachable: () => Promise<void>;
  begin: (id: string, session: StoredSession) => Promise<void>;
  /**
   * Finds a session; null if the session does not exist or has ended. `use` restarts the session's idle time, and
   * `peek` does not.
   */
  find: (id: string, look: 'use' | 'peek') => Promise<StoredSession | null>;
  end: (id: string) => Promise<void>;
}

/** The idle time after which a session ends, in seconds. */
export const idleSeconds = 12 * 60 * 60;
/** The time after which a session ends even if it is used, in seconds. */
export const longestSeconds = 7 * 24 * 60 * 60;
/** The maximum number of sessions of one user. A further session ends the oldest session. */
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
      // The user's list of sessions is written first, because a session outside of the list could never be ended as the
      // oldest. In a cluster, sessions are in different hash slots, so each session needs its own command.
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
