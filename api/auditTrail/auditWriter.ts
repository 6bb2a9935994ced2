import { setTimeout as pause } from 'node:timers/promises';

import type { AccountFact } from '../../shared/domain/accounts/account.js';
import type { RecordContext } from '../../shared/domain/core/fact.js';
import { messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import type { SecurityFields, SecurityLog } from '../../shared/security/securityLog.js';
import { accountRecords } from '../../shared/log/records/accounts.js';

export type RecordedFact = Extract<AccountFact, { type: 'postrider.action.recorded' }>;

/** What is written for the audit log alone. */
export interface AuditedFact {
  readonly accountId: string;
  readonly fact: RecordedFact | Extract<AccountFact, { type: 'postrider.api-key.first-used' }>;
}

export interface WrittenEntry extends AuditedFact {
  /** The `ce_id` of the record, and the time of the action. */
  readonly id: string;
  readonly at: Date;
}

/** Appends what only the audit log contains to the topic `accounts`. */
export interface AuditWriter {
  /**
   * Appends an entry before its action takes effect.
   * @throws UnavailableError if it cannot be appended: then the action must not take effect
   */
  readonly write: (entry: WrittenEntry) => Promise<void>;
  /**
   * Appends an entry in the background. It never fails: what cannot be appended is written as a security log line.
   * @returns when it was appended, or 2 s later: what follows waits no longer for it
   */
  readonly writeSoon: (entry: WrittenEntry) => Promise<void>;
  /** Waits for the entries that are being appended. */
  readonly close: () => Promise<void>;
}

const longestWaitMs = 2000;
/** Beyond so many the log is unavailable, or a flood is going on. */
const maximumInFlight = 1000;

/** @param log the log that seals what is appended to `accounts` */
export function createAuditWriter(log: Pick<LogAppender, 'append'>, securityLog: SecurityLog): AuditWriter {
  const inFlight = new Set<Promise<void>>();

  const append = async ({ accountId, fact, id, at }: WrittenEntry) => {
    const context: RecordContext = { id, key: accountId, accountId, mode: null, at };
    await log.append(accountRecords.encode(fact, context));
  };

  const appendOrLog = async (entry: WrittenEntry) => {
    try {
      if (inFlight.size >= maximumInFlight) {
        throw new UnavailableError('too many entries are being written');
      }
      await append(entry);
    } catch (error) {
      const fields = { ...securityFieldsOf(entry), at: entry.at, reason: messageOf(error) };
      securityLog.write('audit_entry_not_written', fields);
    }
  };

  return {
    write: append,
    writeSoon: async (entry) => {
      const written = appendOrLog(entry).finally(() => inFlight.delete(written));
      inFlight.add(written);
      const waiting = new AbortController();
      await Promise.race([
        written.finally(() => {
          waiting.abort();
        }),
        pause(longestWaitMs, undefined, { signal: waiting.signal }).catch(() => undefined),
      ]);
    },
    close: async () => {
      await Promise.all(inFlight);
    },
  };
}

/** The entry as fields of a security log line: ids without names. */
export function securityFieldsOf({ accountId, fact }: AuditedFact): SecurityFields {
  const { actor, client, ...details } = fact.value;
  return {
    accountId,
    ...(fact.type === 'postrider.api-key.first-used' ? { action: 'api_key.first_used' } : {}),
    ...details,
    actorType: actor.type,
    actorId: actor.id,
    ...client,
  };
}
