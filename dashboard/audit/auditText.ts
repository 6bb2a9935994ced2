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

const actors: Readonly<Record<AuditEntry['actor']['type'], string>> = {
  api_key: 'API key',
  user: '',
  operator: 'Operator',
  system: 'Postrider',
};

/** Who did it: a person by name, a key by its name. */
export function actorText({ type, id, name }: AuditEntry['actor']): string {
  const known = name ?? id ?? '';
  return [actors[type], known].filter((part) => part !== '').join(' ');
}

/** A value of a change. */
export function valueText(value: string | number | readonly string[] | null): string {
  if (value === null) {
    return 'none';
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : value.join(', ');
}
