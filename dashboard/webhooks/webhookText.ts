import type { Webhook } from '../api/types.js';

/** The time until which the trouble of the webhook is shown apart, or null if the webhook is not muted now. */
export function mutedUntil({ mutedUntil: until }: Pick<Webhook, 'mutedUntil'>, now: Date): string | null {
  return until !== null && Date.parse(until) > now.getTime() ? until : null;
}

/** Whether the service has disabled the webhook. The webhook's users may not know this state. */
export function isAutoDisabled({ disabledReason }: Webhook): boolean {
  return disabledReason === 'gone' || disabledReason === 'failing';
}
