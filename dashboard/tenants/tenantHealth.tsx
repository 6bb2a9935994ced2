import { useCallback } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { DeliveryHealth } from '../api/types.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { LoadedContent } from '../components/loadedContent.js';
import { Pair } from '../components/pair.js';
import { SkeletonBox } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { countText } from '../components/timeText.js';
import { AsOf } from '../health/asOf.js';
import { DeliveryCounts } from '../health/deliveryCounts.js';
import { areCountsOld } from '../health/healthText.js';
import { useApi } from '../session/session.js';
import { healthRefreshMs } from '../webhooks/webhookList.js';

interface ShownHealth {
  readonly health: DeliveryHealth;
  /** Whether later events are not counted yet. */
  readonly isOld: boolean;
}

const states = ['failing', 'undelivered', 'healthy', 'disabled'] as const;
const stateTexts = {
  failing: 'failing',
  undelivered: 'with undelivered events',
  healthy: 'healthy',
  disabled: 'disabled',
} as const;

/** The state of the webhooks of a tenant, and of their deliveries, whatever their age. */
export function TenantHealth({ id }: { readonly id: string }) {
  const api = useApi();
  const load = useCallback(
    async (signal: AbortSignal): Promise<ShownHealth> => {
      const call = api.GET('/v1/delivery-health', { params: { query: { tenantId: id } }, signal });
      const health = await answerOf(call);
      const servedAt = Date.parse((await call).response.headers.get('Date') ?? '') || Date.now();
      return { health, isOld: areCountsOld(health.asOf, servedAt) };
    },
    [api, id],
  );
  // The counts have their own request, because the rest of the page is known while the counts are not.
  const shown = useRefreshed(load, () => healthRefreshMs);
  return (
    <section aria-labelledby="health-heading">
      <h2 id="health-heading">Deliveries now</h2>
      <LoadedContent of={shown} waiting={<SkeletonBox size="small" what="the deliveries" />}>
        {({ health, isOld }) => (
          <>
            {isOld && <AsOf at={health.asOf} />}
            <dl class="card pairs">
              <Pair name="Webhooks">{webhooksText(health)}</Pair>
              <Pair name="Undelivered">
                <DeliveryCounts health={health} filter={`tenant=${id}`} />
              </Pair>
              {health.oldestOpenEventAt !== null && (
                <Pair name="Oldest open event">
                  <Time at={health.oldestOpenEventAt} form="relative" />
                </Pair>
              )}
            </dl>
          </>
        )}
      </LoadedContent>
    </section>
  );
}

function webhooksText({ webhooks }: DeliveryHealth): string {
  const texts = states
    .filter((state) => webhooks[state] > 0)
    .map((state) => `${countText(webhooks[state])} ${stateTexts[state]}`);
  return texts.length === 0 ? 'None' : texts.join(', ');
}
