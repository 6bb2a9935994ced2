import type { Webhook } from '../api/types.js';
import { isTroubled } from '../health/healthText.js';
import { isAutoDisabled, mutedUntil } from './webhookText.js';

/** Whether a webhook has trouble, as far as its health is known. */
export function hasTrouble(webhook: Webhook): boolean {
  return isAutoDisabled(webhook) || (webhook.health !== undefined && isTroubled(webhook.health));
}

/** The ids of the webhooks that have trouble and are not muted. */
export function troubledIds(webhooks: readonly Webhook[], now: Date): ReadonlySet<string> {
  const troubled = webhooks.filter((webhook) => hasTrouble(webhook) && mutedUntil(webhook, now) === null);
  return new Set(troubled.map(({ id }) => id));
}

/** The webhooks whose trouble began while a tab watched. */
export interface TroubleNews {
  /** The ids of the webhooks that had trouble at the last look. */
  readonly known: ReadonlySet<string>;
  /** The ids of the webhooks whose trouble began after the first look, and still lasts. */
  readonly begun: ReadonlySet<string>;
}

/** The news after another look. The first look begins no trouble, because the user sees it on the overview. */
export function newsAfter(before: TroubleNews | null, troubled: ReadonlySet<string>): TroubleNews {
  const begun = [...troubled].filter(
    (id) => before !== null && (before.begun.has(id) || !before.known.has(id)),
  );
  return { known: troubled, begun: new Set(begun) };
}
