import { BellOff, CircleCheck, CircleQuestionMark } from 'lucide';
import type { ComponentChildren } from 'preact';

import type { Webhook } from '../api/types.js';
import { Icon } from '../components/icon.js';
import { Time } from '../components/time.js';
import { counted, countText } from '../components/timeText.js';
import { AsOf } from '../health/asOf.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import type { Recovery } from '../replays/useRecovery.js';
import { hasTrouble } from '../webhooks/troubleNews.js';
import { oldAsOfOf, type KnownWebhooks } from '../webhooks/webhookList.js';
import { isAutoDisabled, mutedUntil } from '../webhooks/webhookText.js';
import { TroubleTable } from './troubleTable.js';

interface TroubleProps {
  readonly known: KnownWebhooks;
  /** Whether the webhooks are the present state. */
  readonly isPresent: boolean;
  readonly recovery: Recovery;
  /** Whether the account has nothing to deliver yet. */
  readonly isQuiet: boolean;
}

/** The webhooks that do not deliver, which are the most urgent information of the overview. */
export function Trouble({ known, isPresent, recovery, isQuiet }: TroubleProps) {
  const mode = useMode();
  const all = troubled(known.data);
  const muted = all.filter(isMuted);
  const rows = all.filter((webhook) => !isMuted(webhook));
  const oldAsOf = oldAsOfOf(known);
  if (isQuiet || (mode === 'test' && all.length === 0)) {
    return null;
  }
  return (
    <section aria-labelledby="trouble-heading">
      <h2 id="trouble-heading">Undelivered events</h2>
      {oldAsOf !== null && <AsOf at={oldAsOf} />}
      <Unmuted
        known={known}
        rows={rows}
        mutedCount={muted.length}
        isPresent={isPresent && oldAsOf === null}
        recovery={recovery}
      />
      {known.hasMore && <Unchecked count={known.data.length} />}
      {muted.length > 0 && (
        <>
          <h3>Muted</h3>
          <TroubleTable
            isMuted
            webhooks={muted}
            caption="Muted webhooks that do not deliver"
            recovery={recovery}
          />
        </>
      )}
    </section>
  );
}

interface UnmutedProps extends NoTroubleProps, Pick<TroubleProps, 'recovery'> {
  readonly rows: readonly Webhook[];
}

function Unmuted({ rows, recovery, ...props }: UnmutedProps) {
  return rows.length === 0 ? (
    <NoTrouble {...props} />
  ) : (
    <>
      {!isHealthKnown(props.known) && <Unknown countedAt={props.known.countedAt} />}
      <TroubleTable webhooks={rows} caption="Webhooks that do not deliver" recovery={recovery} />
    </>
  );
}

/**
 * The webhooks with trouble. Webhooks that the service has disabled come first, because they get no events. Failing
 * webhooks follow, and then webhooks with the most undelivered deliveries.
 */
function troubled(webhooks: readonly Webhook[]): readonly Webhook[] {
  const rankOf = (webhook: Webhook) =>
    isAutoDisabled(webhook) ? 0 : webhook.health?.state === 'failing' ? 1 : 2;
  const countOf = ({ health }: Webhook) => (health === undefined ? 0 : health.failed + health.retrying);
  return webhooks
    .filter(hasTrouble)
    .toSorted((one, other) => rankOf(one) - rankOf(other) || countOf(other) - countOf(one));
}

function isMuted(webhook: Webhook): boolean {
  return mutedUntil(webhook, new Date()) !== null;
}

function isHealthKnown({ data, healthFailure }: KnownWebhooks): boolean {
  return healthFailure === null && data.every(({ health }) => health !== undefined);
}

interface NoTroubleProps extends Pick<TroubleProps, 'known'> {
  readonly mutedCount: number;
  /** Whether the webhooks and their counts are the present state. */
  readonly isPresent: boolean;
}

/** The sentence without trouble. The page claims nothing about a state that it does not know. */
function NoTrouble({ known, mutedCount, isPresent }: NoTroubleProps) {
  const disabledCount = known.data.filter(({ status }) => status === 'disabled').length;
  if (!isPresent || !isHealthKnown(known)) {
    return <Unknown countedAt={isHealthKnown(known) ? null : known.countedAt} />;
  }
  if (mutedCount > 0) {
    return (
      <Sentence icon={BellOff} isGood={false}>
        <strong>Only muted webhooks have trouble.</strong> {counted(mutedCount, 'muted webhook')} did not
        deliver all events.
      </Sentence>
    );
  }
  if (known.hasMore) {
    return (
      <Sentence icon={CircleQuestionMark} isGood={false}>
        <strong>The {countText(known.data.length)} newest webhooks have delivered their events.</strong> No
        delivery to them is failed, canceled or being retried.
      </Sentence>
    );
  }
  const waiting = known.data.reduce((total, { health }) => total + (health?.pending ?? 0), 0);
  return (
    <Sentence icon={CircleCheck} isGood>
      <strong>No undelivered events.</strong> No delivery is failed, canceled or being retried.
      {waiting > 0 && ` ${counted(waiting, 'delivery waits', 'deliveries wait')} for the first attempt.`}
      {disabledCount > 0 &&
        ` ${counted(disabledCount, 'disabled webhook gets', 'disabled webhooks get')} no events.`}
    </Sentence>
  );
}

/** A hint that an account has more webhooks than the overview checks. */
function Unchecked({ count }: { readonly count: number }) {
  const address = useAddress();
  return (
    <p class="quiet small">
      The overview checks only the {countText(count)} newest webhooks. “All webhooks” counts the others too.
      Open a <a href={address('/tenants')}>tenant</a> to see each of its webhooks.
    </p>
  );
}

function Unknown({ countedAt }: Pick<KnownWebhooks, 'countedAt'>) {
  return (
    <Sentence icon={CircleQuestionMark} isGood={false}>
      <strong>The state of the deliveries is unknown.</strong> The page shows all undelivered events when the
      service knows the state again.
      {countedAt !== null && (
        <>
          {' '}
          The last good counts arrived on <Time at={new Date(countedAt).toISOString()} />.
        </>
      )}
    </Sentence>
  );
}

interface SentenceProps {
  readonly icon: typeof CircleCheck;
  readonly isGood: boolean;
  readonly children: ComponentChildren;
}

function Sentence({ icon, isGood, children }: SentenceProps) {
  return (
    <p class={`card all-well${isGood ? '' : ' unknown-state'}`}>
      <Icon of={icon} size={20} />
      <span>{children}</span>
    </p>
  );
}
