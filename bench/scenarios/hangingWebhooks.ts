import { createWebhook } from '../fixtures/endpoint.js';
import { measuredType } from '../load/eventBody.js';
import type { ScenarioContext } from './scenario.js';

/**
 * The time from which the service knows that webhooks hang: the time limit of an attempt, the first retry, and the attempts
 * that were in flight at their ends.
 */
export const onsetSeconds = 22;

/** Without them the load that comes first would be slower than the others, and hide what hanging costs. */
const warmUpEvents = 500;

/**
 * Creates webhooks for the measured events, which answer until the receiver lets them hang.
 * @param owner the tenant that the webhooks belong to, if any
 */
export async function prepareHangingWebhooks(
  { quick, receiver, endpoint, deliver, untilDrained }: ScenarioContext,
  webhooks: number,
  owner: { readonly tenantId?: string } = {},
): Promise<void> {
  for (let webhook = 0; webhook < webhooks; webhook += 1) {
    const url = receiver.hangingUrl(webhook);
    await createWebhook(endpoint, { url, events: [measuredType], ...owner });
  }
  await receiver.hang(false);
  await (quick ? null : deliver(warmUpEvents, { loop: 'closed', connections: 50 }));
  await untilDrained();
}
