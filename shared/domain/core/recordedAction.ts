import type { Actor, Change, ClientTrace, Mode } from './fact.js';

/** The value of a field in the audit log. The value is never a secret, a hash of a secret or a part of a secret. */
export type AuditValue = string | number | null | readonly string[];

export type AuditChanges = Readonly<Record<string, Change<AuditValue>>>;

export const auditResourceTypes = [
  'account',
  'api_key',
  'user',
  'webhook',
  'event',
  'replay',
  'event_type',
  'tenant',
] as const;

export interface AuditResource {
  readonly type: (typeof auditResourceTypes)[number];
  readonly id: string;
}

/**
 * The actions with a record only for the audit log. All other entries of the audit log follow from records of changes.
 */
export type RecordedAction =
  | 'user.signed_in'
  | 'user.signed_out'
  | 'user.sign_in_failed'
  | 'api_key.rejected'
  | 'event.resent'
  | 'webhook.tested'
  | 'tenant.session_created'
  | 'replay.requested'
  | 'replay.canceled';

/**
 * An action that does not change the state of its account. A newer version may record other actions, and processes of
 * an older version fold them too.
 */
export interface ActionRecorded {
  readonly action: string;
  /** The mode of the action; null if the action concerns the account as a whole. */
  readonly mode: Mode | null;
  readonly resource: AuditResource;
  /** The fields that describe the action, each as a change from null. */
  readonly changes: AuditChanges;
  /** The origin of the action's HTTP request; null if the action was not an HTTP request. */
  readonly client: ClientTrace | null;
  readonly actor: Actor;
}

/** The audit log's changes for a new resource: each field changes from null. */
export function newFields(fields: Readonly<Record<string, AuditValue>>): AuditChanges {
  return Object.fromEntries(Object.entries(fields).map(([name, to]) => [name, { from: null, to }]));
}
