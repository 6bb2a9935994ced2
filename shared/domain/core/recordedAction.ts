import type { Actor, Change, ClientTrace, Mode } from './fact.js';

/** The value of a field. It is never a secret, nor a hash or a part of one. */
export type AuditValue = string | number | null | readonly string[];

export type AuditChanges = Readonly<Record<string, Change<AuditValue>>>;

export const auditResourceTypes = ['account', 'api_key', 'user', 'webhook', 'event', 'replay'] as const;

export interface AuditResource {
  readonly type: (typeof auditResourceTypes)[number];
  readonly id: string;
}

/** The actions that are recorded only for the audit log. All others follow from the records of the change. */
export type RecordedAction =
  | 'user.signed_in'
  | 'user.signed_out'
  | 'user.sign_in_failed'
  | 'api_key.rejected'
  | 'event.resent'
  | 'webhook.tested'
  | 'replay.requested'
  | 'replay.canceled';

/**
 * An action that does not change the state of its account. The set of actions in the log is open: an older process
 * folds the actions of a newer one.
 */
export interface ActionRecorded {
  readonly action: string;
  /** Null if the action concerns the account as a whole. */
  readonly mode: Mode | null;
  readonly resource: AuditResource;
  /** The subject of the action: each field, from null. */
  readonly changes: AuditChanges;
  /** Null if the action was not an HTTP request. */
  readonly client: ClientTrace | null;
  readonly actor: Actor;
}

/** The changes of a new resource. */
export function newFields(fields: Readonly<Record<string, AuditValue>>): AuditChanges {
  return Object.fromEntries(Object.entries(fields).map(([name, to]) => [name, { from: null, to }]));
}
