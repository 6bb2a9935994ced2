import type { Actor, Change, ClientTrace, Mode } from './fact.js';

/** The value of a field. Never a secret, nor a hash or a part of one. */
export type AuditValue = string | number | null | readonly string[];

export type AuditChanges = Readonly<Record<string, Change<AuditValue>>>;

export const auditResourceTypes = ['account', 'api_key', 'user', 'webhook', 'event', 'replay'] as const;

export interface AuditResource {
  readonly type: (typeof auditResourceTypes)[number];
  readonly id: string;
}

/** The actions that are written for the audit log alone. All others follow from the records that make the change. */
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
 * An action that changes nothing in the state of its account. The action is an open set in the log: an older process folds the
 * actions of a newer one.
 */
export interface ActionRecorded {
  readonly action: string;
  /** Null if the action is about the account as a whole. */
  readonly mode: Mode | null;
  readonly resource: AuditResource;
  /** What the action was about: each field from null. */
  readonly changes: AuditChanges;
  /** Null if the action did not come with an HTTP request. */
  readonly client: ClientTrace | null;
  readonly actor: Actor;
}

/** Fields that are new. */
export function newFields(fields: Readonly<Record<string, AuditValue>>): AuditChanges {
  return Object.fromEntries(Object.entries(fields).map(([name, to]) => [name, { from: null, to }]));
}
