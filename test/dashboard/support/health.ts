import type { WebhookHealth } from '../../../dashboard/api/types.js';

/** The health of a webhook without trouble, with changes. */
export function healthOf(changed: Partial<WebhookHealth> = {}): WebhookHealth {
  return {
    webhookId: 'wh_1',
    state: 'healthy',
    ...{ pending: 0, retrying: 0, failed: 0, canceled: 0, failures: [] },
    ...{ firstFailureAt: null, lastFailureAt: null, nextAttemptAt: null, oldestOpenEventAt: null },
    lastSuccessAt: '2026-11-21T12:00:00.000Z',
    asOf: '2026-11-21T12:00:00.000Z',
    ...changed,
  };
}
