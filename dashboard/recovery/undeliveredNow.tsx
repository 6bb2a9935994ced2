import { RotateCw, Send } from 'lucide';
import { useCallback, useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { DeliveryFailures, Webhook, WebhookHealth } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { useAnnounce } from '../components/announcements.js';
import { Button } from '../components/button.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { FailureNotice } from '../components/failureNotice.js';
import { LoadedContent } from '../components/loadedContent.js';
import { SkeletonBox } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { counted, countText } from '../components/timeText.js';
import { DeliveryCounts } from '../health/deliveryCounts.js';
import { failureText, possiblyProcessed, undeliveredCount } from '../health/healthText.js';
import type { StartedReplay } from '../replays/replayList.js';
import { useApi } from '../session/session.js';
import { ConfirmReplay } from './confirmReplay.js';
import { countReplays, type CountedReplay, type ReplayRequest } from './countedReplay.js';

const refreshMs = 5000;
/** The start of a replay of existing deliveries. Deliveries of replayed events can be older than the webhook. */
const ever = new Date(0).toISOString();

interface UndeliveredNowProps {
  readonly webhook: Webhook;
  readonly onStarted: (started: StartedReplay) => void;
}

/** The deliveries to send: a replay for each selection. */
type Parts = readonly Partial<ReplayRequest>[];

interface Asked {
  readonly replays: readonly CountedReplay[];
  readonly maybeProcessed: number;
}

/** The undelivered deliveries of an active webhook by their error, with buttons that send them now. */
export function UndeliveredNow({ webhook: { id }, onStarted }: UndeliveredNowProps) {
  const api = useApi();
  const announce = useAnnounce();
  const [asked, setAsked] = useState<Asked | null>(null);
  const load = useCallback(
    (signal: AbortSignal): Promise<WebhookHealth> =>
      answerOf(api.GET('/v1/webhooks/{id}/health', { params: { path: { id } }, signal })),
    [api, id],
  );
  const health = useRefreshed(load, () => refreshMs);
  const ask = useAction(async ([parts, failures]: readonly [Parts, readonly DeliveryFailures[]]) => {
    const replays = await countReplays(
      api,
      parts.map((part) => ({ webhookId: id, since: ever, only: 'undelivered', ...part })),
    );
    if (replays.length === 0) {
      announce('Nothing to send: the deliveries have ended meanwhile.');
      health.reload();
      return;
    }
    setAsked({ replays, maybeProcessed: possiblyProcessed(failures) });
  });
  return (
    <section aria-labelledby="undelivered-heading">
      <h2 id="undelivered-heading">Undelivered now</h2>
      <LoadedContent of={health} waiting={<SkeletonBox size="small" what="undelivered deliveries" />}>
        {(known) => (
          <Known
            health={known}
            isBusy={ask.isRunning}
            onRetry={(parts, failures) => ask.run([parts, failures])}
          />
        )}
      </LoadedContent>
      <FailureNotice failure={ask.failure} />
      {asked !== null && (
        <ConfirmReplay
          replays={asked.replays}
          maybeProcessed={asked.maybeProcessed}
          onStarted={(started) => {
            onStarted(started);
            health.reload();
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </section>
  );
}

interface KnownProps {
  readonly health: WebhookHealth;
  readonly isBusy: boolean;
  readonly onRetry: (parts: Parts, failures: readonly DeliveryFailures[]) => void;
}

function Known({ health, isBusy, onRetry }: KnownProps) {
  const { failures, retrying, failed, canceled, pending } = health;
  const count = undeliveredCount(health) + pending;
  if (count === 0) {
    return (
      <p class="card card-text quiet">
        No delivery is failed, canceled, waiting or being retried. The form below also finds events that were
        never sent.
      </p>
    );
  }
  return (
    <div class="card card-text">
      <div class="section-head">
        <DeliveryCounts health={health} filter={`webhook=${health.webhookId}`} />
        <span class="buttons">
          {retrying > 0 && failed + canceled > 0 && (
            <Button icon={RotateCw} isBusy={isBusy} onClick={() => onRetry([{ only: 'open' }], failures)}>
              Retry {counted(retrying + pending, 'open delivery', 'open deliveries')}
            </Button>
          )}
          <Button kind="primary" icon={Send} isBusy={isBusy} onClick={() => onRetry(allOf(health), failures)}>
            Retry all {counted(count, 'delivery', 'deliveries')}
          </Button>
        </span>
      </div>
      {health.nextAttemptAt !== null && (
        <p class="quiet small">
          Next retry: <Time at={health.nextAttemptAt} form="due" />
        </p>
      )}
      {failures.length > 0 && <Failures failures={failures} isBusy={isBusy} onRetry={onRetry} />}
    </div>
  );
}

/**
 * The selections of everything that the counts contain. The selection `undelivered` also contains events without a
 * delivery, which the counts do not contain. The open deliveries come first, because failed deliveries become open.
 */
function allOf({ failed, canceled, retrying, pending }: WebhookHealth): Parts {
  const open = retrying + pending === 0 ? [] : [{ only: 'open' as const }];
  return failed + canceled === 0 ? open : [...open, { only: 'failed' as const }];
}

function Failures({ failures, isBusy, onRetry }: Pick<KnownProps, 'isBusy' | 'onRetry'> & FailuresOf) {
  const columns: readonly Column<DeliveryFailures>[] = [
    { name: 'Error', isMain: true, cell: (failure) => failureText(failure) },
    { name: 'Deliveries', isNumber: true, cell: ({ count }) => countText(count) },
    { name: 'First failed', isNumber: true, cell: ({ firstAt }) => <TimeOrUnknown at={firstAt} /> },
    { name: 'Last failed', isNumber: true, cell: ({ lastAt }) => <TimeOrUnknown at={lastAt} /> },
    {
      name: 'Actions',
      isActions: true,
      cell: (failure) => (
        <Button isSmall isBusy={isBusy} onClick={() => onRetry([partOf(failure)], [failure])}>
          Retry these<span class="hidden">: {failureText(failure)}</span>
        </Button>
      ),
    },
  ];
  return (
    <DataTable
      caption="Errors of the last attempts, most frequent first"
      columns={columns}
      rows={failures}
      keyOf={({ code, statusCode }) => `${code} ${statusCode}`}
    />
  );
}

interface FailuresOf {
  readonly failures: readonly DeliveryFailures[];
}

/** The deliveries of one error. A delivery whose last attempt had no response has no status code. */
function partOf({ code, statusCode }: DeliveryFailures): Partial<ReplayRequest> {
  return { errorCodes: [code], ...(statusCode === null ? {} : { statusCodes: [statusCode] }) };
}

function TimeOrUnknown({ at }: { readonly at: string | null }) {
  return at === null ? <span class="quiet">Unknown</span> : <Time at={at} />;
}
