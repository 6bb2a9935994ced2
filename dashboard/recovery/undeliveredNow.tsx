import { RotateCw, Send } from 'lucide';
import { useCallback } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { DeliveryFailures, Webhook, WebhookHealth } from '../api/types.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { Button } from '../components/button.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { LoadedContent } from '../components/loadedContent.js';
import { SkeletonBox } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { counted, countText } from '../components/timeText.js';
import { DeliveryCounts } from '../health/deliveryCounts.js';
import { failureText, undeliveredCount } from '../health/healthText.js';
import type { StartedReplay } from '../replays/replayList.js';
import { ever, retryOf, useRecovery, type RecoveryRequest } from '../replays/useRecovery.js';
import { useApi } from '../session/session.js';

const refreshMs = 5000;

interface UndeliveredNowProps {
  readonly webhook: Webhook;
  readonly onStarted: (started: StartedReplay) => void;
}

/** The undelivered deliveries of an active webhook by their error, with buttons that send them now. */
export function UndeliveredNow({ webhook, onStarted }: UndeliveredNowProps) {
  const { id } = webhook;
  const api = useApi();
  const load = useCallback(
    (signal: AbortSignal): Promise<WebhookHealth> =>
      answerOf(api.GET('/v1/webhooks/{id}/health', { params: { path: { id } }, signal })),
    [api, id],
  );
  const health = useRefreshed(load, () => refreshMs);
  const recovery = useRecovery({ onStarted, onChanged: health.reload });
  return (
    <section aria-labelledby="undelivered-heading">
      <h2 id="undelivered-heading">Undelivered now</h2>
      <LoadedContent of={health} waiting={<SkeletonBox size="small" what="undelivered deliveries" />}>
        {(known) => (
          <Known
            all={retryOf(webhook, known)}
            health={known}
            isBusy={recovery.countingId !== null}
            onRetry={recovery.ask}
          />
        )}
      </LoadedContent>
      {recovery.view}
    </section>
  );
}

interface KnownProps {
  /** The request for everything that the health counts. */
  readonly all: RecoveryRequest;
  readonly health: WebhookHealth;
  readonly isBusy: boolean;
  readonly onRetry: (request: RecoveryRequest) => void;
}

function Known({ all, health, isBusy, onRetry }: KnownProps) {
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
            <Button
              icon={RotateCw}
              isBusy={isBusy}
              onClick={() => onRetry({ ...all, parts: [{ since: ever, only: 'open' }] })}
            >
              Retry {counted(retrying + pending, 'open delivery', 'open deliveries')}
            </Button>
          )}
          <Button kind="primary" icon={Send} isBusy={isBusy} onClick={() => onRetry(all)}>
            Retry all {counted(count, 'delivery', 'deliveries')}
          </Button>
        </span>
      </div>
      {health.nextAttemptAt !== null && (
        <p class="quiet small">
          Next retry: <Time at={health.nextAttemptAt} form="due" />
        </p>
      )}
      {failures.length > 0 && <Failures all={all} failures={failures} isBusy={isBusy} onRetry={onRetry} />}
    </div>
  );
}

interface FailuresProps extends Omit<KnownProps, 'health'> {
  readonly failures: readonly DeliveryFailures[];
}

function Failures({ all, failures, isBusy, onRetry }: FailuresProps) {
  const columns: readonly Column<DeliveryFailures>[] = [
    { name: 'Error', isMain: true, cell: (failure) => failureText(failure) },
    { name: 'Deliveries', isNumber: true, cell: ({ count }) => countText(count) },
    { name: 'First failed', isNumber: true, cell: ({ firstAt }) => <TimeOrUnknown at={firstAt} /> },
    { name: 'Last failed', isNumber: true, cell: ({ lastAt }) => <TimeOrUnknown at={lastAt} /> },
    {
      name: 'Actions',
      isActions: true,
      cell: (failure) => (
        <Button
          isSmall
          isBusy={isBusy}
          onClick={() => onRetry({ ...all, parts: [partOf(failure)], failures: [failure] })}
        >
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

/** The deliveries of one error. A delivery whose last attempt had no response has no status code. */
function partOf({ code, statusCode }: DeliveryFailures): RecoveryRequest['parts'][number] {
  const statusCodes = statusCode === null ? {} : { statusCodes: [statusCode] };
  return { since: ever, only: 'undelivered', errorCodes: [code], ...statusCodes };
}

function TimeOrUnknown({ at }: { readonly at: string | null }) {
  return at === null ? <span class="quiet">Unknown</span> : <Time at={at} />;
}
