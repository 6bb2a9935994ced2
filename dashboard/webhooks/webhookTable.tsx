import type { Webhook, WebhookHealth } from '../api/types.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { webhookTitle } from '../components/shownName.js';
import { TenantFilter } from '../components/tenantFilter.js';
import { TenantLink } from '../components/tenantLink.js';
import { Time } from '../components/time.js';
import { countText } from '../components/timeText.js';
import { AsOf } from '../health/asOf.js';
import { isTroubled, undeliveredCount } from '../health/healthText.js';
import { useAddress } from '../navigation/useMode.js';
import { useParameters } from '../navigation/useParameters.js';
import { WebhookBadge } from './webhookBadge.js';
import { oldAsOfOf, type KnownWebhooks } from './webhookList.js';
import { arrangedWebhooks, orderOf, webhookOrders } from './webhookOrder.js';
import { mutedUntil } from './webhookText.js';

interface WebhookTableProps {
  readonly known: KnownWebhooks;
  /** Whether the webhooks and their counts are the present state. */
  readonly isPresent: boolean;
  /** Whether the list has no further pages. Only a whole list is searched and sorted. */
  readonly isWhole: boolean;
}

/** The table of webhooks, with its filters and a choice of the order. */
export function WebhookTable({ known, isPresent, isWhole }: WebhookTableProps) {
  const [parameters] = useParameters();
  const search = isWhole ? (parameters.get('search') ?? '') : '';
  const order = isWhole ? orderOf(parameters.get('sort')) : 'newest';
  const rows = arrangedWebhooks(known.data, search, order);
  return (
    <>
      <WebhookFilters isWhole={isWhole} />
      {rows.length === 0 ? (
        <p class="card card-text quiet" role="status">
          No webhook contains “{search}”.
        </p>
      ) : (
        <WebhookRows known={known} webhooks={rows} isPresent={isPresent} />
      )}
    </>
  );
}

interface WebhookRowsProps extends Pick<WebhookTableProps, 'known' | 'isPresent'> {
  /** The webhooks to show, in their order. */
  readonly webhooks: readonly Webhook[];
  /** Whether all webhooks have the same tenant, which the page names already. */
  readonly isOneTenant?: boolean;
}

/** The rows of a list of webhooks, with their health. Old counts show trouble, and never that all is well. */
export function WebhookRows({ known, webhooks, isPresent, isOneTenant = false }: WebhookRowsProps) {
  const oldAsOf = oldAsOfOf(known);
  const healthOf = ({ health }: Webhook) =>
    !isPresent || health === undefined || (oldAsOf !== null && !isTroubled(health)) ? null : health;
  const columns: readonly Column<Webhook>[] = [
    {
      name: 'Webhook',
      isMain: true,
      cell: (webhook) => <WebhookName webhook={webhook} isOneTenant={isOneTenant} />,
    },
    {
      name: 'Status',
      cell: (webhook) => <WebhookStatus webhook={webhook} health={healthOf(webhook)} />,
    },
    {
      name: 'Undelivered',
      isNumber: true,
      cell: (webhook) => <UndeliveredCell webhook={webhook} health={healthOf(webhook)} />,
    },
    {
      name: 'Events',
      isMinor: true,
      cell: ({ events }) => <span class="clamp">{events.includes('*') ? 'All' : events.join(', ')}</span>,
    },
    { name: 'Created', isNumber: true, isMinor: true, cell: ({ created }) => <Time at={created} /> },
  ];
  return (
    <>
      {oldAsOf !== null && <AsOf at={oldAsOf} />}
      <div class="card card-table">
        <DataTable caption="Webhooks" columns={columns} rows={webhooks} keyOf={({ id }) => id} />
      </div>
    </>
  );
}

/** The filters of the list. A list with further pages is filtered by tenant alone. */
export function WebhookFilters({ isWhole }: Pick<WebhookTableProps, 'isWhole'>) {
  return (
    <div class="filters" role="search" aria-label="Webhooks">
      {isWhole && <Arrangement />}
      <TenantFilter label="Tenant id, null or *" />
    </div>
  );
}

function Arrangement() {
  const [parameters, change] = useParameters();
  const order = orderOf(parameters.get('sort'));
  return (
    <>
      <label class="filter">
        <span>Name, URL or description</span>
        <input
          type="search"
          value={parameters.get('search') ?? ''}
          spellcheck={false}
          autoComplete="off"
          onInput={({ currentTarget: { value } }) => {
            change({ search: value });
          }}
        />
      </label>
      <label class="filter">
        <span>Sort</span>
        <select
          onChange={({ currentTarget: { value } }) => {
            change({ sort: value });
          }}
        >
          {webhookOrders.map(([each, text]) => (
            <option key={each} value={each} selected={each === order}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

interface WebhookNameProps extends Required<Pick<WebhookRowsProps, 'isOneTenant'>> {
  readonly webhook: Webhook;
}

function WebhookName({ webhook, isOneTenant }: WebhookNameProps) {
  const address = useAddress();
  const { id, tenantId, url, description } = webhook;
  return (
    <>
      <a class="row-link breakable" href={address(`/webhooks/${id}`)}>
        {webhookTitle(webhook)}
      </a>
      {webhookTitle(webhook) !== url && <span class="under quiet small breakable">{url}</span>}
      {description !== null && <span class="under quiet small clamp">{description}</span>}
      {tenantId !== null && !isOneTenant && (
        <span class="under small">
          <TenantLink id={tenantId} />
        </span>
      )}
    </>
  );
}

interface StateProps {
  readonly webhook: Webhook;
  /** The health of the webhook, or null while it is unknown. */
  readonly health: WebhookHealth | null;
}

/** The number of undelivered deliveries. A disabled webhook has missed more events, which its page counts. */
function UndeliveredCell({ webhook: { id, status }, health }: StateProps) {
  const address = useAddress();
  if (health === null) {
    return <span class="quiet">Unknown</span>;
  }
  const count = undeliveredCount(health);
  return (
    <>
      <span class={count === 0 ? 'quiet' : ''} title="Failed, being retried, or canceled">
        {countText(count)}
      </span>
      {status === 'disabled' && (
        <a class="under small" href={address(`/webhooks/${id}`)}>
          count missed events
        </a>
      )}
    </>
  );
}

function WebhookStatus({ webhook, health }: StateProps) {
  const until = mutedUntil(webhook, new Date());
  return (
    <>
      <WebhookBadge webhook={webhook} health={health} />
      {until !== null && (
        <span class="under quiet small">
          Muted until&nbsp;
          <Time at={until} />
        </span>
      )}
    </>
  );
}
