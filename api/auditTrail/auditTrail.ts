import { createHash } from 'node:crypto';

import { createBoundedSet } from '../../shared/concurrency/boundedMap.js';
import type { Clock } from '../../shared/core/clock.js';
import type { Actor, ClientTrace } from '../../shared/domain/core/fact.js';
import { identifierTime, type Identifiers } from '../../shared/domain/core/identifiers.js';
import {
  newFields,
  type AuditChanges,
  type AuditResource,
  type RecordedAction,
} from '../../shared/domain/core/recordedAction.js';
import { seededIdentity, type RequestIdentity } from '../../shared/domain/core/requestIdentity.js';
import type { AppendOptions } from '../../shared/log/producer/partitionBatcher.js';
import type { SecurityLog } from '../../shared/security/securityLog.js';
import type { KeyCaller } from '../authentication/apiKeyLookup.js';
import type { Member } from '../authentication/credentials.js';
import type { Caller } from '../http/context.js';
import {
  securityFieldsOf,
  type AuditedAccountFact,
  type AuditWriter,
  type FirstUseByTenant,
  type RecordedFact,
} from './auditWriter.js';
import { createHourlyLimit, hourOf } from './hourlyLimit.js';

export interface CallerAction {
  readonly action: RecordedAction;
  readonly resource: AuditResource;
  readonly changes: AuditChanges;
}

/**
 * Writes the actions that only the audit log contains. The action of an account goes into its audit log, and an action
 * without an account into the security log. Only `record` throws if the log is unavailable. Only `record`, `signedIn`
 * and `signedOut` wait for the append.
 */
export interface AuditTrail {
  /**
   * Writes an action to the audit log before the action takes effect, once for all requests with one identity.
   * @throws UnavailableError if the entry cannot be written, so that the caller does not execute the action
   */
  readonly record: (
    caller: Caller,
    action: CallerAction,
    identity: RequestIdentity,
    options?: AppendOptions,
  ) => Promise<void>;
  /**
   * Writes the creation of a portal session before the session begins. The audit log has one entry for each actor, tenant
   * and hour, because a platform may create a session for each view of a page.
   * @throws UnavailableError if the entry cannot be written
   */
  readonly portalSessionCreated: (caller: Caller, tenantId: string) => Promise<void>;
  readonly signedIn: (member: Member, method: SignInMethod, client: ClientTrace) => Promise<void>;
  readonly signedOut: (caller: Caller, client: ClientTrace) => Promise<void>;
  /** @param members the users whose credentials were checked, or none if the email address or the link is unknown */
  readonly signInFailed: (members: readonly Member[], failure: SignInFailure, client: ClientTrace) => void;
  readonly signInLimited: (method: SignInMethod, client: ClientTrace) => void;
  readonly keyUsed: (caller: KeyCaller, client: ClientTrace) => void;
  /** @param reason the error code of the response */
  readonly keyRejected: (caller: Caller | null, reason: string, client: ClientTrace) => void;
}

export type SignInMethod = 'password' | 'link';

export interface SignInFailure {
  readonly method: SignInMethod;
  readonly reason: 'wrong_password' | 'unknown_link' | 'account_suspended';
}

export interface AuditTrailDependencies {
  readonly auditWriter: Pick<AuditWriter, 'write' | 'writeInBackground'>;
  readonly securityLog: SecurityLog;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
}

/** The number of portal sessions, and of keys of tenants, in the last hours whose entries the process remembers. */
const maximumRecorded = 20_000;

/** The actor of a failed sign-in, because the service cannot identify the client. */
const unknownClient: Actor = { type: 'system', id: null, name: 'unknown client' };

export function createAuditTrail(dependencies: AuditTrailDependencies): AuditTrail {
  const { auditWriter, securityLog, clock, identifiers } = dependencies;
  const hourlyLimit = createHourlyLimit();
  const recordedSessions = createBoundedSet<string>(maximumRecorded);
  const recordedUses = createBoundedSet<string>(maximumRecorded);

  const writeNow = (accountId: string, fact: RecordedFact) => {
    const at = clock();
    return auditWriter.writeInBackground({ accountId, fact, id: identifiers.createRecordId(at), at });
  };

  /** Writes one audit entry per hour for equal occurrences. */
  const writeHourly = (entry: AuditedAccountFact, occurrence: string, id: (at: Date) => string) => {
    const at = clock();
    const answer = hourlyLimit(entry.accountId, occurrence, at);
    if (answer === 'first') {
      void auditWriter.writeInBackground({ ...entry, id: id(at), at });
    } else if (answer === 'too many') {
      const reason = 'the account has too many entries in this hour';
      securityLog.write('audit_entry_not_written', { ...securityFieldsOf(entry), reason });
    }
  };

  /**
   * The record id is derived from the occurrence. The fold ignores duplicate ids, so several API processes add one
   * entry.
   */
  const writeRejection = (accountId: string, fact: RecordedFact) => {
    const { action, resource, changes, client } = fact.value;
    const occurrence = JSON.stringify([action, resource, changes, client?.network]);
    writeHourly({ accountId, fact }, occurrence, (at) => idOf(`${accountId} ${occurrence}`, hourOf(at)));
  };

  /** Many tenants may begin to use their keys within an hour, so the limit of the account does not apply to them. */
  const writeUseByTenant = (entry: FirstUseByTenant, id: string) => {
    const at = clock();
    const occurrence = `${hourOf(at).toISOString()} ${id}`;
    if (!recordedUses.has(occurrence)) {
      recordedUses.add(occurrence);
      void auditWriter.writeInBackground({ ...entry, id, at });
    }
  };

  return {
    record: async ({ accountId, mode, actor }, action, identity, options) => {
      const value = { ...action, mode, actor, client: null };
      const fact = { type: 'postrider.action.recorded', value } as const;
      const entry = { accountId, fact, id: identity.recordId('audit'), at: identity.created };
      await auditWriter.write(entry, options);
    },

    portalSessionCreated: async ({ accountId, mode, actor }, tenantId) => {
      const at = clock();
      const hour = hourOf(at);
      const occurrence = JSON.stringify(['portal session', accountId, mode, actor.id, tenantId, hour]);
      if (!recordedSessions.has(occurrence)) {
        const resource = { type: 'tenant', id: tenantId } as const;
        const value = { action: 'tenant.session_created', mode, resource, changes: {}, client: null, actor };
        const fact = { type: 'postrider.action.recorded', value } as const;
        await auditWriter.write({ accountId, fact, id: idOf(occurrence, hour), at });
        recordedSessions.add(occurrence);
      }
    },

    signedIn: ({ account, user }, method, client) => {
      const actor: Actor = { type: 'user', id: user.id, name: user.name };
      return writeNow(account._id, ofUser('user.signed_in', user.id, { changes: { method }, client, actor }));
    },

    signedOut: ({ accountId, actor }, client) =>
      writeNow(accountId, ofUser('user.signed_out', actor.id ?? '', { changes: {}, client, actor })),

    signInFailed: (members, failure, client) => {
      if (members.length === 0) {
        securityLog.write('sign_in_failed', { ...client, ...failure });
      }
      for (const { account, user } of members) {
        const changes = { ...failure };
        writeRejection(
          account._id,
          ofUser('user.sign_in_failed', user.id, { changes, client, actor: unknownClient }),
        );
      }
    },

    signInLimited: (method, client) => {
      securityLog.write('sign_in_limited', { ...client, method });
    },

    keyUsed: ({ accountId, keyId, mode, actor, isUsed, tenant }, client) => {
      if (isUsed) {
        return;
      }
      const type = 'postrider.api-key.first-used';
      const value = { keyId, mode, client, actor };
      const occurrence = `first use of ${keyId}`;
      const id = idOf(occurrence, identifierTime(keyId));
      if (tenant === null) {
        writeHourly({ accountId, fact: { type, value } }, occurrence, () => id);
      } else {
        const { tenantId, lifeId } = tenant;
        writeUseByTenant({ accountId, tenantId, fact: { type, value: { ...value, lifeId } } }, id);
      }
    },

    keyRejected: (caller, reason, client) => {
      if (caller === null) {
        securityLog.write('key_rejected', { ...client, reason });
        return;
      }
      const { accountId, mode, actor, tenant } = caller;
      if (tenant !== null) {
        // The rejections of a tenant must not use up the entries of the account.
        securityLog.write('key_rejected', { ...client, reason, accountId, tenantId: tenant.tenantId });
        return;
      }
      const resource = { type: 'api_key', id: actor.id ?? '' } as const;
      const changes = newFields({ reason });
      const value = { action: 'api_key.rejected', mode, resource, changes, client, actor };
      writeRejection(accountId, { type: 'postrider.action.recorded', value });
    },
  };
}

function ofUser(
  action: RecordedAction,
  id: string,
  { changes, client, actor }: { changes: Record<string, string>; client: ClientTrace; actor: Actor },
): RecordedFact {
  const resource = { type: 'user', id } as const;
  return {
    type: 'postrider.action.recorded',
    value: { action, mode: null, resource, changes: newFields(changes), client, actor },
  };
}

/** A record id derived from a text. */
function idOf(text: string, at: Date): string {
  const seed = createHash('sha256').update(text).digest();
  return seededIdentity({ created: at, isRepeat: false, seed }).recordId();
}
