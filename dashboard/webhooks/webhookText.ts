import type { Webhook } from '../api/types.js';
import { shownName } from '../components/shownName.js';

/** The time until which the trouble of the webhook is shown apart, or null if the webhook is not muted now. */
export function mutedUntil({ mutedUntil: until }: Pick<Webhook, 'mutedUntil'>, now: Date): string | null {
  return until !== null && Date.parse(until) > now.getTime() ? until : null;
}

/** The name of a webhook for people, or its URL without a name. */
export function webhookTitle({ name, url }: Pick<Webhook, 'name' | 'url'>): string {
  return shownName(name, url);
}

/** Whether the service has disabled the webhook. The webhook's users may not know this state. */
export function isAutoDisabled({ disabledReason }: Webhook): boolean {
  return disabledReason === 'gone' || disabledReason === 'failing';
}
