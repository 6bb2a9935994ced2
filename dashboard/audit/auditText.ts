import type { AuditEntry } from '../api/types.js';

const names: Readonly<Record<string, string>> = {
  webhook: 'Webhook',
  api_key: 'API key',
  account: 'Account',
  user: 'User',
  replay: 'Replay',
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

/** The kind of an actor that is not a user. */
const kinds: Readonly<Record<AuditEntry['actor']['type'], string | null>> = {
  api_key: 'API key',
  user: null,
  operator: 'Operator',
  system: null,
};

/** The actor of an audit entry. A user or key is shown by name, and any other actor by type. */
export function actorText({ actor: { type, id, name }, client }: Pick<AuditEntry, 'actor' | 'client'>) {
  if (type === 'system') {
    // An entry of the service itself has no client. The client of a failed sign-in is not authenticated.
    return { name: client === null ? 'Postrider' : 'Unknown client', kind: null };
  }
  return { name: name ?? id ?? 'Unknown', kind: kinds[type] };
}

/** The text of a changed value in an audit entry. */
export function valueText(value: string | number | readonly string[] | null): string {
  if (value === null) {
    return 'none';
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : value.join(', ');
}
