import { Plus } from 'lucide';
import { useCallback } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { List, ListedEvent, Tenant } from '../api/types.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { LinkButton } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Identifier } from '../components/identifier.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { SkeletonBox } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { EventTable } from '../events/eventTable.js';
import type { PageProps } from '../navigation/pageProps.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useApi, useMay } from '../session/session.js';
import { healthRefreshMs, readWebhooks, type KnownWebhooks } from '../webhooks/webhookList.js';
import { TotalHealth } from '../webhooks/totalHealth.js';
import { WebhookRows } from '../webhooks/webhookTable.js';
import { TenantActions } from './tenantActions.js';
import { tenantTitle } from './tenantFields.js';

interface ShownTenant {
  readonly tenant: Tenant;
  readonly webhooks: KnownWebhooks;
  readonly events: List<ListedEvent>;
}

const eventsShown = 10;

/** A tenant with its webhooks, its newest events and the state of its deliveries. */
export function TenantPage({ id }: PageProps) {
  const api = useApi();
  const address = useAddress();
  const mode = useMode();
  const load = useCallback(
    async (signal: AbortSignal): Promise<ShownTenant> => {
      const query = { tenantId: id, limit: eventsShown, fields: 'summary' as const };
      const [tenant, webhooks, events] = await Promise.all([
        answerOf(api.GET('/v1/tenants/{id}', { params: { path: { id } }, signal })),
        readWebhooks(api, { tenantId: id }, { withHealth: true, signal }),
        answerOf(api.GET('/v1/events', { params: { query }, signal })),
      ]);
      return { tenant, webhooks, events };
    },
    [api, id],
  );
  const shown = useRefreshed(load, () => healthRefreshMs);
  const tenant = shown.value?.tenant ?? null;
  const title = tenant === null ? id : tenantTitle(tenant);
  return (
    <PageFrame
      title={title}
      heading={<span class="breakable">{title}</span>}
      back={{ href: address('/tenants'), text: 'Tenants' }}
      lede={
        <span class="facts">
          <Identifier id={id} what="tenant id" />
          {tenant !== null && (
            <span>
              Created <Time at={tenant.created} />
            </span>
          )}
        </span>
      }
      actions={tenant !== null && <TenantActions tenant={tenant} onChanged={shown.reload} />}
    >
      <LoadedContent of={shown} waiting={<SkeletonBox size="large" what="the tenant" />}>
        {({ tenant: found, webhooks, events }) => (
          <>
            {mode === 'live' && (
              <TotalHealth title="Deliveries now" tenantId={id} everyMs={healthRefreshMs} />
            )}
            <TenantWebhooks
              id={id}
              webhooks={webhooks}
              isPresent={!shown.isOutdated}
              onRetry={shown.reload}
            />
            <TenantEvents id={id} events={events} />
            <TenantMetadata metadata={found.metadata} />
          </>
        )}
      </LoadedContent>
    </PageFrame>
  );
}

interface TenantWebhooksProps {
  readonly id: string;
  readonly webhooks: KnownWebhooks;
  /** Whether the webhooks and their counts are the present state. */
  readonly isPresent: boolean;
  readonly onRetry: () => void;
}

function TenantWebhooks({ id, webhooks, isPresent, onRetry }: TenantWebhooksProps) {
  const address = useAddress();
  const may = useMay('developer');
  return (
    <section aria-labelledby="webhooks-heading">
      <div class="section-head">
        <h2 id="webhooks-heading">Webhooks</h2>
        {may && (
          <LinkButton isSmall icon={Plus} href={address(`/webhooks/new?tenant=${id}`)}>
            Add webhook
          </LinkButton>
        )}
      </div>
      <FailureNotice failure={webhooks.healthFailure} onRetry={onRetry} />
      {webhooks.data.length === 0 ? (
        <p class="card card-text quiet">The tenant has no webhooks yet.</p>
      ) : (
        <WebhookRows known={webhooks} webhooks={webhooks.data} isPresent={isPresent} isOneTenant />
      )}
    </section>
  );
}

/** No event of the page can be selected: the list of events has the actions on several events. */
const noSelection = {
  maySelect: false,
  chosen: new Set<string>(),
  choose: () => undefined,
  clear: () => undefined,
};

interface TenantEventsProps {
  readonly id: string;
  readonly events: List<ListedEvent>;
}

function TenantEvents({ id, events }: TenantEventsProps) {
  const address = useAddress();
  return (
    <section aria-labelledby="events-heading">
      <div class="section-head">
        <h2 id="events-heading">Newest events</h2>
        <LinkButton isSmall href={address(`/events?tenant=${id}`)}>
          Show all events
        </LinkButton>
      </div>
      {events.data.length === 0 ? (
        <p class="card card-text quiet">
          No event of the tenant is stored. Events of the tenant have its id as their tenantId.
        </p>
      ) : (
        <div class="card card-table">
          <EventTable
            events={events.data}
            caption="Newest events of the tenant"
            webhookId={null}
            isOneTenant
            arrivedAfter={null}
            selection={noSelection}
          />
        </div>
      )}
    </section>
  );
}

function TenantMetadata({ metadata }: Pick<Tenant, 'metadata'>) {
  const entries = Object.entries(metadata);
  return (
    <section aria-labelledby="metadata-heading">
      <h2 id="metadata-heading">Metadata</h2>
      {entries.length === 0 ? (
        <p class="card card-text quiet">The tenant has no metadata.</p>
      ) : (
        <dl class="card pairs">
          {entries.map(([key, value]) => (
            <div key={key}>
              <dt class="breakable">{key}</dt>
              <dd class="breakable">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
