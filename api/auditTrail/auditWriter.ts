import { setTimeout as pause } from 'node:timers/promises';

import { messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { AccountFact } from '../../shared/domain/accounts/account.js';
import type { TenantApiKeyFact } from '../../shared/domain/accounts/tenantApiKey.js';
import { tenantKey } from '../../shared/domain/tenants/tenant.js';
import type { OutgoingRecord } from '../../shared/log/encoding/record.js';
import type { AppendOptions } from '../../shared/log/producer/partitionBatcher.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { accountRecords } from '../../shared/log/records/accounts.js';
import { tenantRecords } from '../../shared/log/records/tenants.js';
import type { SecurityFields, SecurityLog } from '../../shared/security/securityLog.js';

export type RecordedFact = Extract<AccountFact, { type: 'postrider.action.recorded' }>;

/** A fact of an account that only the audit log needs. */
export interface AuditedAccountFact {
  readonly accountId: string;
  readonly fact: RecordedFact | Extract<AccountFact, { type: 'postrider.api-key.first-used' }>;
}

/** The first use of an API key of a tenant. */
export interface FirstUseByTenant {
  readonly accountId: string;
  readonly tenantId: string;
  readonly fact: Extract<TenantApiKeyFact, { type: 'postrider.api-key.first-used' }>;
}

export type AuditedFact = AuditedAccountFact | FirstUseByTenant;

export type WrittenEntry = AuditedFact & {
  /** The `ce_id` of the record, and the time of the action. */
  readonly id: string;
  readonly at: Date;
};

/** Appends the facts of the audit log to the topic `accounts`, or to the topic `tenants` if they concern a tenant. */
export interface AuditWriter {
  /**
   * Appends an audit entry before its action takes effect.
   * @throws UnavailableError if the entry cannot be appended, so that the caller does not execute the action
   */
  readonly write: (entry: WrittenEntry, options?: AppendOptions) => Promise<void>;
  /**
   * Appends an audit entry in the background, and never fails. An entry that cannot be appended becomes a line of the
   * security log.
   * @returns when the entry is appended, after 2 s at the latest
   */
  readonly writeInBackground: (entry: WrittenEntry) => Promise<void>;
  /** Waits until the audit entries in flight are appended. */
  readonly close: () => Promise<void>;
}

const longestWaitMs = 2000;
/** If more audit entries are in flight, the log is unavailable, or an attack is in progress. */
const maximumInFlight = 1000;

/** @param log the appender that encrypts the records of the topics `accounts` and `tenants` */
export function createAuditWriter(log: Pick<LogAppender, 'append'>, securityLog: SecurityLog): AuditWriter {
  const inFlight = new Set<Promise<void>>();

  const append = async (entry: WrittenEntry, options?: AppendOptions) => {
    await log.append(recordOf(entry), options);
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
    writeInBackground: async (entry) => {
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

function recordOf(entry: WrittenEntry): OutgoingRecord {
  const { accountId, id, at } = entry;
  if (!('tenantId' in entry)) {
    return accountRecords.encode(entry.fact, { id, key: accountId, accountId, mode: null, at });
  }
  const { tenantId, fact } = entry;
  const { mode } = fact.value;
  return tenantRecords.encode(fact, {
    id,
    key: tenantKey(accountId, tenantId),
    accountId,
    mode,
    at,
    tenantId,
  });
}

/** The audit entry as fields of a security log line, with ids but without names. */
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
