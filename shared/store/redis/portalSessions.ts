import { z } from 'zod';

import { capabilities } from '../../domain/accounts/permissions.js';
import { executed } from './client.js';
import type { RedisGuard } from './redisGuard.js';

const timeSchema = z.iso.datetime().transform((text) => new Date(text));

const sessionSchema = z.object({
  accountId: z.string(),
  mode: z.enum(['live', 'test']),
  tenantId: z.string(),
  /** The life of the tenant at the creation of the session. The session ends with it. */
  lifeId: z.string(),
  /** How often the tenant's sessions had been revoked. Another revocation ends the session. */
  revocations: z.number(),
  /** The account's number of suspensions. Another suspension of the account ends the session. */
  suspensions: z.number(),
  capabilities: z.array(z.enum(capabilities)),
  created: timeSchema,
  expiresAt: timeSchema,
});

/** What Redis stores of a portal session. The documents of tenant and account decide whether it is still valid. */
export type StoredPortalSession = z.output<typeof sessionSchema>;

/**
 * The portal sessions of tenants. A session's id is the SHA-256 of its token. Only Redis stores portal sessions, so
 * their loss ends them. Each call throws `UnavailableError` while Redis is unavailable.
 */
export interface PortalSessions {
  begin: (id: string, session: StoredPortalSession) => Promise<void>;
  /** Finds a session until a day after its expiry; null if it does not exist. */
  find: (id: string) => Promise<StoredPortalSession | null>;
  /** The ids of the sessions of a tenant's life that have not expired. */
  ofLife: (lifeId: string, now: Date) => Promise<readonly string[]>;
  /** Removes sessions from the list of a tenant's life. They are still found, so that their expiry can be reported. */
  unlist: (lifeId: string, ids: readonly string[]) => Promise<void>;
}

/** The longest validity of a portal session, in seconds. */
export const longestPortalSessionSeconds = 86_400;
/** How long an expired session is stored, so that the API can tell it from an unknown token. */
const expiredSeconds = 86_400;
/** The maximum number of sessions of a tenant. Beyond it, the session that expires first is dropped. */
export const maximumPortalSessions = 1000;

const keyOf = (id: string) => `postrider:portal-session:${id}`;
const listOf = (lifeId: string) => `postrider:portal-sessions:${lifeId}`;

export function createPortalSessions(guard: RedisGuard): PortalSessions {
  return {
    begin: async (id, session) => {
      const list = listOf(session.lifeId);
      const secondsLeft = Math.ceil((session.expiresAt.getTime() - session.created.getTime()) / 1000);
      // The list is written first, because a session outside of the list is not counted. In a cluster, sessions are in
      // different hash slots, so each session needs its own command.
      const results = await guard.ask((client) =>
        executed(
          client
            .multi()
            .zremrangebyscore(list, '-inf', String(session.created.getTime()))
            .zadd(list, session.expiresAt.getTime(), id)
            .zrange(list, '0', String(-maximumPortalSessions - 1))
            .zremrangebyrank(list, 0, -maximumPortalSessions - 1)
            .expire(list, longestPortalSessionSeconds + expiredSeconds),
        ),
      );
      const surplus = z.array(z.string()).parse(results[2]);
      await guard.ask((client) =>
        Promise.all([
          client.set(keyOf(id), JSON.stringify(session), 'EX', secondsLeft + expiredSeconds),
          ...surplus.map((first) => client.del(keyOf(first))),
        ]),
      );
    },
    find: async (id) => {
      const text = await guard.ask((client) => client.get(keyOf(id)));
      return text === null ? null : sessionSchema.parse(JSON.parse(text));
    },
    ofLife: (lifeId, now) =>
      guard.ask((client) => client.zrangebyscore(listOf(lifeId), `(${String(now.getTime())}`, '+inf')),
    unlist: async (lifeId, ids) => {
      if (ids.length > 0) {
        await guard.ask((client) => client.zrem(listOf(lifeId), ...ids));
      }
    },
  };
}
