import { useCallback } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { Webhook, WebhookHealth } from '../../dashboard/api/types.js';
import type { Loaded } from '../../dashboard/api/useLoaded.js';
import { useRefreshed } from '../../dashboard/api/useRefreshed.js';
import { areCountsOld, servedAtOf } from '../../dashboard/health/healthText.js';
import { useApi } from '../session/portalContext.js';

/** An endpoint with its health. */
export interface Endpoint {
  readonly webhook: Webhook;
  readonly health: WebhookHealth;
  /** Whether the health was too old when the service sent it, so that events are missing from it. */
  readonly isOld: boolean;
}

const refreshMs = 5000;

/** The endpoint with an id, read again every few seconds. */
export function useEndpoint(id: string): Loaded<Endpoint> {
  const api = useApi();
  const load = useCallback(
    async (signal: AbortSignal): Promise<Endpoint> => {
      const params = { path: { id } };
      const call = api.GET('/v1/webhooks/{id}/health', { params, signal });
      const [webhook, health] = await Promise.all([
        answerOf(api.GET('/v1/webhooks/{id}', { params, signal })),
        answerOf(call),
      ]);
      return { webhook, health, isOld: areCountsOld(health.asOf, servedAtOf((await call).response)) };
    },
    [api, id],
  );
  return useRefreshed(load, () => refreshMs);
}
