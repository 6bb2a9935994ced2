import { Plus, Webhook as WebhookIcon } from 'lucide';
import { useCallback } from 'preact/hooks';

import type { Webhook } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { LinkButton } from '../components/button.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { EmptyState } from '../components/emptyState.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { SkeletonRows } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { countText } from '../components/timeText.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi, useMay } from '../session/session.js';
import { isAutoDisabled, readUndelivered, type Undelivered } from './undelivered.js';
import { WebhookBadge } from './webhookBadge.js';
import { useWebhooks } from './webhookNames.js';

const dayMs = 24 * 60 * 60 * 1000;

export function WebhooksPage() {
  const api = useApi();
  const address = useAddress();
  const may = useMay('developer');
  const webhooks = useWebhooks();
  const load = useCallback(
    (signal: AbortSignal) => readUndelivered(api, new Date(Date.now() - dayMs), signal),
    [api],
  );
  const undelivered = useLoaded(load);
  const add = may && (
    <LinkButton kind="primary" icon={Plus} href={address('/webhooks/new')}>
      Add webhook
    </LinkButton>
  );
  return (
    <PageFrame title="Webhooks" lede="The URLs to which the service delivers events." actions={add}>
      <LoadedContent of={webhooks} waiting={<SkeletonRows count={5} what="webhooks" />}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon={WebhookIcon} title="No webhooks yet" actions={add}>
              <p>
                A webhook is a URL that receives your events. The service signs each delivery and retries
                failed deliveries.
              </p>
            </EmptyState>
          ) : (
            <WebhookTable webhooks={data} undelivered={undelivered.value ?? []} />
          )
        }
      </LoadedContent>
    </PageFrame>
  );
}

interface WebhookTableProps {
  readonly webhooks: readonly Webhook[];
  readonly undelivered: readonly Undelivered[];
}

/** The table of webhooks. Webhooks with failing deliveries come first, because they need attention. */
function WebhookTable({ webhooks, undelivered }: WebhookTableProps) {
  const address = useAddress();
  const of = ({ id }: Webhook) => undelivered.find(({ webhookId }) => webhookId === id);
  const trouble = (webhook: Webhook) => {
    const { failed = 0, retrying = 0 } = of(webhook) ?? {};
    return failed + retrying;
  };
  const columns: readonly Column<Webhook>[] = [
    {
      name: 'URL',
      isMain: true,
      cell: ({ id, url, description }) => (
        <>
          <a class="row-link breakable" href={address(`/webhooks/${id}`)}>
            {url}
          </a>
          {description !== null && <span class="under quiet small clamp">{description}</span>}
        </>
      ),
    },
    {
      name: 'Status',
      cell: (webhook) => <WebhookBadge webhook={webhook} undelivered={trouble(webhook)} />,
    },
    {
      name: 'Undelivered',
      isNumber: true,
      cell: (webhook) => {
        const count = trouble(webhook);
        return (
          <span class={count === 0 ? 'quiet' : ''} title="In the last 24 hours">
            {countText(count)}
            {of(webhook)?.isMore === true && '+'}
          </span>
        );
      },
    },
    {
      name: 'Events',
      isMinor: true,
      cell: ({ events }) => <span class="clamp">{events.includes('*') ? 'All' : events.join(', ')}</span>,
    },
    { name: 'Created', isNumber: true, isMinor: true, cell: ({ created }) => <Time at={created} /> },
  ];
  const sorted = webhooks.toSorted(
    (one, other) =>
      Number(isAutoDisabled(other)) - Number(isAutoDisabled(one)) || trouble(other) - trouble(one),
  );
  return (
    <div class="card card-table">
      <DataTable caption="Webhooks" columns={columns} rows={sorted} keyOf={({ id }) => id} />
    </div>
  );
}
