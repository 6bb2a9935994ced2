import type { AuditEntry } from '../api/types.js';

/** The actions of the audit log, in groups (docs/api.md). A later version may have further actions. */
export const knownActions: readonly (readonly [group: string, actions: readonly string[]])[] = [
  [
    'webhook',
    [
      'created',
      'updated',
      'secret_rotated',
      'secret_reencrypted',
      'disabled',
      'enabled',
      'tested',
      'deleted',
    ],
  ],
  ['event', ['resent']],
  ['event_type', ['created', 'updated', 'deleted']],
  ['tenant', ['created', 'updated', 'session_created', 'sessions_revoked', 'deleted']],
  ['replay', ['requested', 'canceled']],
  ['api_key', ['created', 'first_used', 'rejected', 'deleted']],
  ['user', ['invited', 'joined', 'changed', 'signed_in', 'signed_out', 'sign_in_failed', 'deleted']],
  ['account', ['created', 'plan_changed', 'settings_changed', 'suspended', 'resumed']],
];

const names: Readonly<Record<string, string>> = {
  event: 'Event',
  webhook: 'Webhook',
  api_key: 'API key',
  account: 'Account',
  user: 'User',
  replay: 'Replay',
  event_type: 'Event type',
  tenant: 'Tenant',
};

/** Labels of actions whose API names do not read well. */
const labels: Readonly<Record<string, string>> = {
  'user.signed_in': 'Signed in',
  'user.signed_out': 'Signed out',
  'user.sign_in_failed': 'Sign-in failed',
  'api_key.first_used': 'API key: first use',
  'api_key.rejected': 'API key: use rejected',
  'event.resent': 'Event: resent',
  'webhook.tested': 'Webhook: test event sent',
  'tenant.session_created': 'Tenant: portal session opened',
  'tenant.sessions_revoked': 'Tenant: portal sessions ended',
};

/** The text of an action: `Webhook: secret rotated` for `webhook.secret_rotated`. */
export function actionText(action: string): string {
  const label = labels[action];
  if (label !== undefined) {
    return label;
  }
  const [what = '', ...deed] = action.split('.');
  return `${names[what] ?? what}: ${deed.join(' ').replaceAll('_', ' ')}`;
}

/** The name of a kind of resource, such as `API key`. */
export function groupText(group: string): string {
  return names[group] ?? group;
}

/** The kind of an actor that is not a user. */
const kinds: Readonly<Record<AuditEntry['actor']['type'], string | null>> = {
  api_key: 'API key',
  user: null,
  operator: 'Operator',
  system: null,
};

/** The beginning of the id of a user of the customer portal. A tenant id follows it. */
const portalActor = 'portal:';

/** The actor of an audit entry. A user or key is shown by name, and any other actor by type. */
export function actorText({ actor: { type, id, name }, client }: Pick<AuditEntry, 'actor' | 'client'>) {
  if (type === 'system') {
    // An entry of the service itself has no client. The client of a failed sign-in is not authenticated.
    return { name: client === null ? 'Postrider' : 'Unknown client', kind: null };
  }
  if (id?.startsWith(portalActor) === true) {
    return { name: id.slice(portalActor.length), kind: 'Customer portal' };
  }
  return { name: name ?? id ?? 'Unknown', kind: kinds[type] };
}

/** Texts of values whose API names do not read well, by field. */
const valueLabels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  only: {
    failed: 'failed and canceled deliveries',
    missing: 'never sent events',
    open: 'pending and retrying deliveries',
    undelivered: 'undelivered events',
    all: 'all events',
  },
  disabledReason: {
    manual: 'by a user',
    gone: 'answered 410 Gone',
    failing: 'no successful delivery for days',
  },
  method: { password: 'password', link: 'sign-in link' },
  reason: {
    wrong_password: 'wrong password',
    unknown_link: 'unknown or used link',
    account_suspended: 'suspended account',
  },
};

/** Texts of fields without a value, if that does not mean that there is none. */
const emptyLabels: Readonly<Record<string, string>> = {
  scopes: 'full access',
  types: 'all',
  expiresAt: 'never',
};

/** The text of a changed value in an audit entry. */
export function valueText(value: unknown, field = ''): string {
  if (value === null) {
    return emptyLabels[field] ?? 'none';
  }
  if (typeof value === 'string') {
    return valueLabels[field]?.[value] ?? value;
  }
  return Array.isArray(value) ? listText(value, field) : JSON.stringify(value);
}

function listText(values: readonly unknown[], field: string): string {
  if (values.length === 0) {
    return emptyLabels[field] ?? 'none';
  }
  return values.join() === '*' ? 'all' : values.map((value) => valueText(value, field)).join(', ');
}

/** The ids of webhooks or events in a changed value, which the page shows as links. Null for any other value. */
export function idsIn(value: unknown): readonly string[] | null {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const ids = values.filter(
    (each): each is string => typeof each === 'string' && /^(wh|evt)_\w{26}$/.test(each),
  );
  return ids.length > 0 && ids.length === values.length ? ids : null;
}

/** Labels of fields whose API names do not read well. */
const fieldLabels: Readonly<Record<string, string>> = {
  url: 'URL',
  events: 'event types',
  types: 'event types',
  lastFour: 'last four characters',
  webhookId: 'webhook',
  webhookIds: 'webhooks',
  eventId: 'event',
  eventIds: 'selected events',
  only: 'deliveries',
  since: 'from',
  until: 'to',
  disabledReason: 'reason',
};

/** The text of a field: `expires at` for `expiresAt`. */
export function fieldText(field: string): string {
  return fieldLabels[field] ?? field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Whether a changed value is a time. */
export function isTime(value: unknown): value is string {
  return typeof value === 'string' && instant.test(value);
}
