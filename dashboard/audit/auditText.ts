import type { AuditEntry } from '../api/types.js';

const names: Readonly<Record<string, string>> = {
  webhook: 'Webhook',
  api_key: 'API key',
  account: 'Account',
  user: 'Person',
  replay: 'Replay',
};

/** `webhook.secret_rotated` as `Webhook: secret rotated`. */
export function actionText(action: string): string {
  const [what = '', ...deed] = action.split('.');
  return `${names[what] ?? what}: ${deed.join(' ').replaceAll('_', ' ')}`;
}

/** What did it, where that is not a person. */
const kinds: Readonly<Record<AuditEntry['actor']['type'], string | null>> = {
  api_key: 'API key',
  user: null,
  operator: 'Operator',
  system: null,
};

/** Who did it: a person and a key by name, and what it is where the name does not tell. */
export function actorText({ type, id, name }: AuditEntry['actor']) {
  return { name: type === 'system' ? 'Postrider' : (name ?? id ?? 'Unknown'), kind: kinds[type] };
}

/** A value of a change. */
export function valueText(value: string | number | readonly string[] | null): string {
  if (value === null) {
    return 'none';
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : value.join(', ');
}
