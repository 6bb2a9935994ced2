import { CircleCheck } from 'lucide';

import type { Webhook } from '../api/types.js';
import { LinkButton } from '../components/button.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { DeliveryBadge } from '../components/deliveryBadge.js';
import { Icon } from '../components/icon.js';
import { Time } from '../components/time.js';
import { countText } from '../components/timeText.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useMay } from '../session/session.js';
import { isAutoDisabled, type Undelivered } from '../webhooks/undelivered.js';
import { WebhookBadge } from '../webhooks/webhookBadge.js';
import { WebhookLink } from '../webhooks/webhookLink.js';

interface TroubleProps {
  readonly undelivered: readonly Undelivered[];
  readonly webhooks: readonly Webhook[];
  /** Whether the account has nothing to deliver yet. */
  readonly isQuiet: boolean;
}

interface Row {
  readonly webhookId: string;
  readonly webhook: Webhook | null;
  readonly undelivered: Undelivered | null;
}

/** The undelivered events by webhook, which is the most urgent information of the overview. */
export function Trouble({ undelivered, webhooks, isQuiet }: TroubleProps) {
  const mode = useMode();
  const rows = rowsOf(undelivered, webhooks);
  if (isQuiet || (mode === 'test' && rows.length === 0)) {
    return null;
  }
  return (
    <section aria-labelledby="trouble-heading">
      <h2 id="trouble-heading">Undelivered events</h2>
      {rows.length === 0 ? (
        <p class="card all-well">
          <Icon of={CircleCheck} size={20} />
          <span>
            <strong>All events were delivered.</strong> No delivery failed in this time range.
          </span>
        </p>
      ) : (
        <TroubleTable rows={rows} />
      )}
    </section>
  );
}

/**
 * Webhooks that the service has disabled come first, because they get no events. Webhooks with undelivered events
 * follow.
 */
function rowsOf(undelivered: readonly Undelivered[], webhooks: readonly Webhook[]): readonly Row[] {
  const disabled = webhooks.filter(isAutoDisabled).map((webhook) => ({
    webhookId: webhook.id,
    webhook,
    undelivered: undelivered.find(({ webhookId }) => webhookId === webhook.id) ?? null,
  }));
  const known = new Set(disabled.map(({ webhookId }) => webhookId));
  const failing = undelivered
    .filter(({ webhookId }) => !known.has(webhookId))
    .map((each) => ({
      webhookId: each.webhookId,
      webhook: webhooks.find(({ id }) => id === each.webhookId) ?? null,
      undelivered: each,
    }));
  return [...disabled, ...failing];
}

function TroubleTable({ rows }: { readonly rows: readonly Row[] }) {
  const address = useAddress();
  const columns: readonly Column<Row>[] = [
    {
      name: 'Webhook',
      isMain: true,
      cell: ({ webhookId, webhook, undelivered }) => (
        <>
          <WebhookLink id={webhookId} />
          {webhook?.status === 'disabled' ? (
            <span class="under">
              <WebhookBadge webhook={webhook} />
            </span>
          ) : (
            <span class="under small reason-text clamp">{undelivered?.delivery.error?.message}</span>
          )}
        </>
      ),
    },
    { name: 'Events', cell: ({ undelivered }) => <Counts undelivered={undelivered} /> },
    {
      name: 'Newest',
      isNumber: true,
      cell: ({ undelivered }) =>
        undelivered === null ? (
          <span class="quiet">–</span>
        ) : (
          <a href={address(`/events/${undelivered.newest.id}`)}>
            <Time at={undelivered.newest.created} form="relative" />
          </a>
        ),
    },
    { name: 'Actions', isActions: true, cell: (row) => <RowActions row={row} /> },
  ];
  return (
    <div class="card card-table trouble">
      <DataTable
        caption="Webhooks that do not deliver"
        columns={columns}
        rows={rows}
        keyOf={({ webhookId }) => webhookId}
      />
    </div>
  );
}

function RowActions({ row: { webhookId, webhook, undelivered } }: { readonly row: Row }) {
  const address = useAddress();
  const may = useMay('developer');
  const status = undelivered !== null && undelivered.failed > 0 ? 'failed' : 'retrying';
  return (
    <span class="buttons">
      {undelivered !== null && (
        <LinkButton isSmall href={address(`/events?webhook=${webhookId}&status=${status}`)}>
          Show events
        </LinkButton>
      )}
      {may && webhook !== null && (
        <LinkButton isSmall kind="primary" href={address(`/webhooks/${webhookId}/recover`)}>
          {webhook.status === 'disabled' ? 'Enable and recover' : 'Recover'}
        </LinkButton>
      )}
    </span>
  );
}

function Counts({ undelivered }: { readonly undelivered: Undelivered | null }) {
  if (undelivered === null) {
    return <span class="quiet">–</span>;
  }
  const more = undelivered.isMore ? '+' : '';
  return (
    <span class="badges">
      {undelivered.failed > 0 && (
        <span class="count-badge">
          {countText(undelivered.failed)}
          {more} <DeliveryBadge status="failed" />
        </span>
      )}
      {undelivered.retrying > 0 && (
        <span class="count-badge">
          {countText(undelivered.retrying)}
          {more} <DeliveryBadge status="retrying" />
        </span>
      )}
    </span>
  );
}
