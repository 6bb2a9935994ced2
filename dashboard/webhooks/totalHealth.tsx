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
import { areCountsOld, servedAtOf } from '../health/healthText.js';
import { useApi } from '../session/session.js';

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

interface TotalHealthProps {
  readonly title: string;
  /** The tenant of the webhooks, or null for all webhooks of the account. */
  readonly tenantId: string | null;
  /** The refresh interval in milliseconds. The service reads each webhook for the answer. */
  readonly everyMs: number;
}

/** The state of the webhooks of a tenant or an account, and of their deliveries, whatever their age. */
export function TotalHealth({ title, tenantId, everyMs }: TotalHealthProps) {
  const api = useApi();
  const load = useCallback(
    async (signal: AbortSignal): Promise<ShownHealth> => {
      const query = tenantId === null ? {} : { tenantId };
      const call = api.GET('/v1/delivery-health', { params: { query }, signal });
      const health = await answerOf(call);
      return { health, isOld: areCountsOld(health.asOf, servedAtOf((await call).response)) };
    },
    [api, tenantId],
  );
  // The counts have their own request, because the rest of the page is known while the counts are not.
  const shown = useRefreshed(load, () => everyMs);
  return (
    <section aria-labelledby="health-heading">
      <h2 id="health-heading">{title}</h2>
      <LoadedContent of={shown} waiting={<SkeletonBox size="small" what="the deliveries" />}>
        {({ health, isOld }) => (
          <>
            {isOld && <AsOf at={health.asOf} />}
            <dl class="card pairs">
              <Pair name="Webhooks">{webhooksText(health)}</Pair>
              <Pair name="Undelivered">
                <DeliveryCounts health={health} filter={tenantId === null ? '' : `tenant=${tenantId}`} />
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
