import type { Webhook, WebhookHealth } from '../api/types.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { Time } from '../components/time.js';
import { countText } from '../components/timeText.js';
import { DeliveryCounts } from '../health/deliveryCounts.js';
import { failureText, isWaitingLong } from '../health/healthText.js';
import { RecoverButton } from '../replays/recoverButton.js';
import type { Recovery } from '../replays/useRecovery.js';
import { WebhookBadge } from '../webhooks/webhookBadge.js';
import { WebhookLink } from '../webhooks/webhookLink.js';
import { mutedUntil } from '../webhooks/webhookText.js';

interface TroubleTableProps {
  readonly caption: string;
  readonly webhooks: readonly Webhook[];
  readonly recovery: Recovery;
  /** Whether the webhooks are muted, so that the table is less urgent. */
  readonly isMuted?: boolean;
}

const columns: readonly Column<Webhook>[] = [
  {
    name: 'Webhook',
    isMain: true,
    cell: (webhook) => (
      <>
        <WebhookLink id={webhook.id} />
        <span class="under">
          <WebhookBadge webhook={webhook} health={webhook.health ?? null} />
        </span>
        <Muted webhook={webhook} />
      </>
    ),
  },
  {
    name: 'Reason',
    cell: ({ health }) => (health === undefined ? <UnknownCell /> : <Reasons health={health} />),
  },
  {
    name: 'Deliveries',
    cell: ({ health, status }) =>
      health === undefined ? (
        <UnknownCell />
      ) : (
        <>
          <DeliveryCounts health={health} filter={`webhook=${health.webhookId}`} />
          {status === 'disabled' && <span class="under quiet small">Later events are not counted here.</span>}
        </>
      ),
  },
  {
    name: 'Since',
    cell: ({ health }) => <RelativeTime at={health === undefined ? null : beginOf(health)} />,
  },
  {
    name: 'Next retry',
    cell: ({ health }) => <RelativeTime at={health?.nextAttemptAt ?? null} form="due" />,
  },
];

/** The webhooks with trouble: since when, why, how many deliveries, and when the service retries. */
export function TroubleTable({ caption, webhooks, recovery, isMuted = false }: TroubleTableProps) {
  const actions: Column<Webhook> = {
    name: 'Actions',
    isActions: true,
    cell: (webhook) => (
      <RecoverButton webhook={webhook} health={webhook.health ?? null} recovery={recovery} isSmall />
    ),
  };
  return (
    <div class={`card card-table${isMuted ? '' : ' trouble'}`}>
      <DataTable caption={caption} columns={[...columns, actions]} rows={webhooks} keyOf={({ id }) => id} />
    </div>
  );
}

/** Until when the webhook is muted. */
function Muted({ webhook }: { readonly webhook: Webhook }) {
  const until = mutedUntil(webhook, new Date());
  return (
    until !== null && (
      <span class="under quiet small">
        Muted until&nbsp;
        <Time at={until} />
      </span>
    )
  );
}

function UnknownCell() {
  return <span class="quiet">Unknown</span>;
}

const reasonsShown = 3;

function Reasons({ health }: { readonly health: WebhookHealth }) {
  const { failures } = health;
  const more = failures.length - reasonsShown;
  if (failures.length === 0) {
    return <span class="quiet">{otherReason(health)}</span>;
  }
  return (
    <ul class="reasons">
      {failures.slice(0, reasonsShown).map((failure) => (
        <li key={`${failure.code} ${failure.statusCode}`}>
          <span class="reason-text">{failureText(failure)}</span>{' '}
          <span class="quiet small">{countText(failure.count)}×</span>
        </li>
      ))}
      {more > 0 && <li class="quiet small">and {more} more</li>}
    </ul>
  );
}

/** The reason for the trouble of a webhook without a failed delivery. */
function otherReason(health: WebhookHealth): string {
  if (health.canceled > 0) {
    return 'Deliveries were canceled';
  }
  return isWaitingLong(health) ? 'Deliveries wait for the receiver' : '–';
}

/** The begin of the trouble: the first failed attempt after the last success, or else the oldest failed attempt. */
function beginOf({ firstFailureAt, failures, oldestOpenEventAt }: WebhookHealth): string | null {
  const [oldest = oldestOpenEventAt] = failures
    .map(({ firstAt }) => firstAt)
    .filter((at) => at !== null)
    .toSorted();
  return firstFailureAt ?? oldest;
}

interface RelativeTimeProps {
  readonly at: string | null;
  readonly form?: 'relative' | 'due';
}

function RelativeTime({ at, form = 'relative' }: RelativeTimeProps) {
  return at === null ? <span class="quiet">–</span> : <Time at={at} form={form} />;
}
