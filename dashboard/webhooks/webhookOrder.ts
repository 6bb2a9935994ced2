import type { Webhook } from '../api/types.js';
import { webhookTitle } from '../components/shownName.js';
import { undeliveredCount } from '../health/healthText.js';
import { isAutoDisabled } from './webhookText.js';

export const webhookOrders = [
  ['trouble', 'Trouble first'],
  ['name', 'Name or URL'],
  ['newest', 'Newest first'],
] as const;

export type WebhookOrder = (typeof webhookOrders)[number][0];

/** The order with a name in an address, by default the webhooks with trouble first. */
export function orderOf(text: string | null): WebhookOrder {
  return webhookOrders.find(([order]) => order === text)?.[0] ?? 'trouble';
}

/** The webhooks that contain a text in their name, URL, description or id, in an order. */
export function arrangedWebhooks(
  webhooks: readonly Webhook[],
  search: string,
  order: WebhookOrder,
): readonly Webhook[] {
  const sought = search.trim().toLowerCase();
  const found = webhooks.filter(({ id, url, name, description }) =>
    [id, url, name, description].some((text) => text?.toLowerCase().includes(sought) === true),
  );
  const compare: Readonly<Record<WebhookOrder, (one: Webhook, other: Webhook) => number>> = {
    trouble: (one, other) =>
      Number(isAutoDisabled(other)) - Number(isAutoDisabled(one)) ||
      Number(isFailing(other)) - Number(isFailing(one)) ||
      undeliveredOf(other) - undeliveredOf(one),
    name: (one, other) => webhookTitle(one).localeCompare(webhookTitle(other)),
    newest: (one, other) => other.created.localeCompare(one.created),
  };
  return found.toSorted(compare[order]);
}

function isFailing({ health }: Webhook): boolean {
  return health?.state === 'failing';
}

function undeliveredOf({ health }: Webhook): number {
  return health === undefined ? 0 : undeliveredCount(health);
}
