import { useCallback, useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Attempt, List, Webhook, WebhookHealth as Health } from '../api/types.js';
import type { Loaded } from '../api/useLoaded.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { Identifier } from '../components/identifier.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { Segmented } from '../components/segmented.js';
import { webhookTitle } from '../components/shownName.js';
import { SkeletonBox } from '../components/skeleton.js';
import { TenantLink } from '../components/tenantLink.js';
import { Time } from '../components/time.js';
import { areCountsOld, isTroubled, servedAtOf } from '../health/healthText.js';
import type { PageProps } from '../navigation/pageProps.js';
import { knownRange, rangeNames, ranges } from '../navigation/ranges.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useParameters } from '../navigation/useParameters.js';
import { RecentReplays, type StartedReplay } from '../replays/replayList.js';
import { useRecovery, type Recovery } from '../replays/useRecovery.js';
import { useApi } from '../session/session.js';
import { DeliveriesNow } from './deliveriesNow.js';
import { RecentAttempts } from './recentAttempts.js';
import { useWebhooks } from './webhookNames.js';
import { WebhookActions } from './webhookActions.js';
import { WebhookBadge } from './webhookBadge.js';
import { WebhookFacts } from './webhookFacts.js';
import { WebhookHealth, type WebhookFigures } from './webhookHealth.js';
import { mutedUntil } from './webhookText.js';
import { WebhookTrouble } from './webhookTrouble.js';

interface ShownWebhook {
  readonly webhook: Webhook;
  readonly figures: WebhookFigures;
  readonly attempts: List<Attempt>;
}

interface ShownHealth {
  readonly counts: Health;
  readonly isOld: boolean;
}

const attemptsShown = 10;
const refreshMs = 10_000;

export function WebhookPage({ id }: PageProps) {
  const api = useApi();
  const address = useAddress();
  const mode = useMode();
  const webhooks = useWebhooks();
  const [parameters, change] = useParameters();
  const rangeName = knownRange(parameters.get('range')) ?? 'day';
  const load = useCallback(
    async (signal: AbortSignal): Promise<ShownWebhook> => {
      const path = { id };
      const { lengthMs, bucket } = ranges[rangeName];
      const to = new Date();
      const from = new Date(to.getTime() - lengthMs);
      const range = { bucket, from: from.toISOString(), to: to.toISOString(), webhookId: id };
      const [webhook, stats, attempts] = await Promise.all([
        answerOf(api.GET('/v1/webhooks/{id}', { params: { path }, signal })),
        answerOf(api.GET('/v1/stats/deliveries', { params: { query: range }, signal })),
        answerOf(
          api.GET('/v1/webhooks/{id}/attempts', {
            params: { path, query: { limit: attemptsShown } },
            signal,
          }),
        ),
      ]);
      return { webhook, figures: { stats: stats.data, from, to, rangeName }, attempts };
    },
    [api, id, rangeName],
  );
  const loadHealth = useCallback(
    async (signal: AbortSignal): Promise<ShownHealth> => {
      const call = api.GET('/v1/webhooks/{id}/health', { params: { path: { id } }, signal });
      const counts = await answerOf(call);
      return { counts, isOld: areCountsOld(counts.asOf, servedAtOf((await call).response)) };
    },
    [api, id],
  );
  const shown = useRefreshed(load, () => refreshMs);
  // The counts have their own request, because the rest of the page is known while the counts are not.
  const health = useRefreshed(loadHealth, () => refreshMs);
  const webhook = shown.value?.webhook ?? null;
  const onChanged = () => {
    shown.reload();
    webhooks.reload();
    health.reload();
  };
  const [started, setStarted] = useState<readonly StartedReplay[]>([]);
  const recovery = useRecovery({
    onStarted: (replay) => {
      setStarted((before) => [replay, ...before]);
    },
    onChanged,
  });
  const title = webhook === null ? 'Webhook' : webhookTitle(webhook);
  return (
    <PageFrame
      title={title}
      heading={<span class="breakable">{title}</span>}
      back={{ href: address('/webhooks'), text: 'Webhooks' }}
      lede={
        <span class="facts">
          {shown.value !== null && (
            <WebhookBadge webhook={shown.value.webhook} health={knownCounts(health)} />
          )}
          {webhook !== null && <MuteAndTenant webhook={webhook} />}
          <Identifier id={id} what="webhook id" />
        </span>
      }
      actions={webhook !== null && <WebhookActions webhook={webhook} onChanged={onChanged} />}
    >
      <Segmented
        label="Time"
        value={rangeName}
        options={rangeNames.map((name) => [name, ranges[name].text] as const)}
        onChange={(range) => {
          change({ range });
        }}
      />
      <LoadedContent of={shown} waiting={<SkeletonBox size="large" what="the webhook" />}>
        {({ webhook: found, figures, attempts }) => (
          <>
            <WebhookTrouble webhook={found} health={presentCounts(health)} recovery={recovery} />
            {mode === 'live' && <HealthOf webhook={found} health={health} recovery={recovery} />}
            {mode === 'live' && <RecentReplays webhookId={id} started={started} />}
            <WebhookHealth figures={figures} />
            <RecentAttempts webhook={found} attempts={attempts} />
            <WebhookFacts webhook={found} />
          </>
        )}
      </LoadedContent>
      {recovery.view}
    </PageFrame>
  );
}

interface HealthOfProps {
  readonly webhook: Webhook;
  readonly health: Loaded<ShownHealth>;
  readonly recovery: Recovery;
}

function HealthOf({ webhook, health, recovery }: HealthOfProps) {
  return (
    <LoadedContent of={health} waiting={<SkeletonBox size="small" what="the deliveries" />}>
      {({ counts, isOld }) => (
        <DeliveriesNow webhook={webhook} health={counts} isOld={isOld} recovery={recovery} />
      )}
    </LoadedContent>
  );
}

/** Until when the webhook is muted, and its tenant. */
function MuteAndTenant({ webhook }: { readonly webhook: Webhook }) {
  const until = mutedUntil(webhook, new Date());
  return (
    <>
      {until !== null && (
        <span>
          Muted until <Time at={until} />
        </span>
      )}
      <TenantLink id={webhook.tenantId} />
    </>
  );
}

/** The counts that contain all deliveries, or null while they are unknown. */
function presentCounts({ value, isOutdated, isStale }: Loaded<ShownHealth>): Health | null {
  return value === null || isOutdated || isStale || value.isOld ? null : value.counts;
}

/** The counts that the badge may show. Old counts show trouble, and never that all is well. */
function knownCounts({ value, isOutdated }: Loaded<ShownHealth>): Health | null {
  return isOutdated || value === null || (value.isOld && !isTroubled(value.counts)) ? null : value.counts;
}
