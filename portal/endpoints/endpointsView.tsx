import { Plus, Webhook as WebhookIcon } from 'lucide';
import { useCallback } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { Webhook } from '../../dashboard/api/types.js';
import { useRefreshed } from '../../dashboard/api/useRefreshed.js';
import { LinkButton } from '../../dashboard/components/button.js';
import { DataTable, type Column } from '../../dashboard/components/dataTable.js';
import { EmptyState } from '../../dashboard/components/emptyState.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { webhookTitle } from '../../dashboard/components/shownName.js';
import { SkeletonRows } from '../../dashboard/components/skeleton.js';
import { counted } from '../../dashboard/components/timeText.js';
import { undeliveredCount } from '../../dashboard/health/healthText.js';
import { ViewFrame } from '../components/viewFrame.js';
import { linkTo } from '../navigation/view.js';
import { useApi, useMay } from '../session/portalContext.js';
import { EndpointBadge } from './endpointBadge.js';

const refreshMs = 5000;
/** The largest number of webhooks of a tenant. */
const pageSize = 100;

/** The endpoints of the tenant, with what is undelivered. */
export function EndpointsView() {
  const api = useApi();
  const mayWrite = useMay('webhooks:write');
  const load = useCallback(
    async (signal: AbortSignal) => {
      const query = { limit: pageSize, include: 'health' as const };
      const { data } = await answerOf(api.GET('/v1/webhooks', { params: { query }, signal }));
      return data;
    },
    [api],
  );
  const endpoints = useRefreshed(load, () => refreshMs);
  const add = mayWrite && (
    <LinkButton href={linkTo('endpoints', 'new')} kind="primary" icon={Plus}>
      Add endpoint
    </LinkButton>
  );
  // The link does not disappear under somebody's finger when the list turns out to be empty.
  const isWaiting = endpoints.value === null && endpoints.failure === null;
  return (
    <ViewFrame
      title="Endpoints"
      lede="An endpoint is a URL of yours that receives events as they happen."
      actions={isWaiting || endpoints.value?.length === 0 ? undefined : add}
    >
      <LoadedContent of={endpoints} waiting={<SkeletonRows what="the endpoints" />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={WebhookIcon} title="No endpoint yet" actions={add}>
              <p>
                {mayWrite
                  ? 'Add the URL of your server. You then choose which events it receives, and send a test event.'
                  : 'This session can see endpoints, but not add one.'}
              </p>
            </EmptyState>
          ) : (
            <div class="card card-table">
              <DataTable
                caption="Endpoints"
                columns={columns}
                rows={endpoints.isOutdated ? rows.map(withoutHealth) : rows}
                keyOf={({ id }) => id}
              />
            </div>
          )
        }
      </LoadedContent>
    </ViewFrame>
  );
}

/** The endpoint while its present state is unknown. */
function withoutHealth({ health: _health, ...webhook }: Webhook): Webhook {
  return webhook;
}

const columns: readonly Column<Webhook>[] = [
  {
    name: 'Endpoint',
    isMain: true,
    cell: (webhook) => (
      <>
        <a class="row-link breakable" href={linkTo('endpoints', webhook.id)}>
          {webhookTitle(webhook)}
        </a>
        {webhookTitle(webhook) !== webhook.url && <div class="quiet small breakable">{webhook.url}</div>}
      </>
    ),
  },
  { name: 'State', cell: ({ health, status }) => <EndpointBadge status={status} health={health ?? null} /> },
  {
    name: 'Undelivered',
    cell: ({ health }) =>
      health === undefined || undeliveredCount(health) === 0 ? (
        <span class="quiet">{health === undefined ? 'Unknown' : '–'}</span>
      ) : (
        counted(undeliveredCount(health), 'event')
      ),
  },
  {
    name: 'Events',
    isMinor: true,
    cell: ({ events }) => (events.includes('*') ? 'All events' : counted(events.length, 'type')),
  },
];
