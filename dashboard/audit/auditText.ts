import type { AuditEntry } from '../api/types.js';

const names: Readonly<Record<string, string>> = {
  webhook: 'Webhook',
  api_key: 'API key',
  account: 'Account',
  user: 'User',
  replay: 'Replay',
};

/** Actions whose API names do not read well. */
const labels: Readonly<Record<string, string>> = {
  'user.signed_in': 'Signed in',
  'user.signed_out': 'Signed out',
  'user.sign_in_failed': 'Sign-in failed',
  'api_key.first_used': 'API key: first use',
  'api_key.rejected': 'API key: use rejected',
  'event.resent': 'Event: resent',
  'webhook.tested': 'Webhook: test event sent',
};

/** `webhook.secret_rotated` in the form `Webhook: secret rotated`. */
export function actionText(action: string): string {
  const label = labels[action];
  if (label !== undefined) {
    return label;
  }
  const [what = '', ...deed] = action.split('.');
  return `${names[what] ?? what}: ${deed.join(' ').replaceAll('_', ' ')}`;
}

/** The actor of an action, if it is not a user. */
const kinds: Readonly<Record<AuditEntry['actor']['type'], string | null>> = {
  api_key: 'API key',
  user: null,
  operator: 'Operator',
  system: null,
};

/** The actor of an entry. A user or key has a name, other actors have a type. */
export function actorText({ actor: { type, id, name }, client }: Pick<AuditEntry, 'actor' | 'client'>) {
  if (type === 'system') {
    // The service itself has no client. The client of a failed sign-in is not authenticated.
    return { name: client === null ? 'Postrider' : 'Unknown client', kind: null };
  }
  return { name: name ?? id ?? 'Unknown', kind: kinds[type] };
}

/** The text of a changed value. */
export function valueText(value: string | number | readonly string[] | null): string {
  if (value === null) {
    return 'none';
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : value.join(', ');
}
