import { useCallback } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Attempt, DeliveryStats, List, Webhook } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { Identifier } from '../components/identifier.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { SkeletonBox } from '../components/skeleton.js';
import type { PageProps } from '../navigation/pageProps.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';
import { RecentAttempts } from './recentAttempts.js';
import { useWebhooks } from './webhookNames.js';
import { WebhookActions } from './webhookActions.js';
import { WebhookBadge } from './webhookBadge.js';
import { WebhookFacts } from './webhookFacts.js';
import { WebhookHealth } from './webhookHealth.js';
import { WebhookTrouble } from './webhookTrouble.js';

interface ShownWebhook {
  readonly webhook: Webhook;
  readonly stats: readonly DeliveryStats[];
  readonly attempts: List<Attempt>;
}

const attemptsShown = 10;

export function WebhookPage({ id }: PageProps) {
  const api = useApi();
  const address = useAddress();
  const webhooks = useWebhooks();
  const load = useCallback(
    async (signal: AbortSignal): Promise<ShownWebhook> => {
      const path = { id };
      const [webhook, stats, attempts] = await Promise.all([
        answerOf(api.GET('/v1/webhooks/{id}', { params: { path }, signal })),
        answerOf(
          api.GET('/v1/stats/deliveries', { params: { query: { bucket: 'hour', webhookId: id } }, signal }),
        ),
        answerOf(
          api.GET('/v1/webhooks/{id}/attempts', {
            params: { path, query: { limit: attemptsShown } },
            signal,
          }),
        ),
      ]);
      return { webhook, stats: stats.data, attempts };
    },
    [api, id],
  );
  const shown = useLoaded(load);
  const webhook = shown.value?.webhook ?? null;
  const onChanged = () => {
    shown.reload();
    webhooks.reload();
  };
  const title = webhook?.url ?? 'Webhook';
  return (
    <PageFrame
      title={title}
      heading={<span class="breakable">{title}</span>}
      back={{ href: address('/webhooks'), text: 'Webhooks' }}
      lede={
        <span class="facts">
          {webhook !== null && <WebhookBadge webhook={webhook} />}
          <Identifier id={id} what="webhook id" />
        </span>
      }
      actions={webhook !== null && <WebhookActions webhook={webhook} onChanged={onChanged} />}
    >
      <LoadedContent of={shown} waiting={<SkeletonBox size="large" what="the webhook" />}>
        {({ webhook: found, stats, attempts }) => (
          <>
            <WebhookTrouble webhook={found} />
            <WebhookHealth stats={stats} />
            <RecentAttempts webhook={found} attempts={attempts} />
            <WebhookFacts webhook={found} />
          </>
        )}
      </LoadedContent>
    </PageFrame>
  );
}
