import { useRef } from 'preact/hooks';

import { answerOf, isReplay } from '../api/answer.js';
import type { Webhook } from '../api/types.js';
import { useAnnounce } from '../components/announcements.js';
import { Confirmation } from '../components/confirmation.js';
import { webhookTitle } from '../components/shownName.js';
import { counted } from '../components/timeText.js';
import type { StartedReplay } from './replayList.js';
import { useApi } from '../session/session.js';
import type { CountedReplay } from './countedReplay.js';

interface ConfirmReplayProps {
  readonly webhook: Pick<Webhook, 'id' | 'name' | 'url'>;
  /** Whether the webhook is enabled before the replays start. */
  readonly enables?: boolean;
  /** The replays that are started in turn. Only a webhook that is enabled may have none. */
  readonly replays: readonly CountedReplay[];
  /** How many deliveries the receiver may have processed, although the service got no response, or null if unknown. */
  readonly maybeProcessed: number | null;
  readonly onStarted: (started: StartedReplay) => void;
  readonly onClose: () => void;
}

/** A dialog that names the events of replays, and which of them become duplicates, before it sends them. */
export function ConfirmReplay(props: ConfirmReplayProps) {
  const { webhook, enables = false, replays, maybeProcessed, onStarted, onClose } = props;
  const api = useApi();
  const announce = useAnnounce();
  // A second press of the button starts only the replays whose start has failed.
  const begun = useRef(new Set<CountedReplay>());
  const sum = sumOf(replays);
  const number = numberText(sum);
  const { title, deed } = wordsOf(enables, replays.length > 0, number);
  return (
    <Confirmation
      title={title}
      deed={deed}
      takesAway={enables}
      onClose={onClose}
      onConfirm={async () => {
        if (enables) {
          // A second press of the button repeats the request, which then changes nothing.
          const params = { path: { id: webhook.id } };
          await answerOf(api.PATCH('/v1/webhooks/{id}', { params, body: { status: 'active' } }));
        }
        for (const replay of replays.filter((each) => !begun.current.has(each))) {
          const answer = await answerOf(api.POST('/v1/replays', { body: replay.body }));
          begun.current.add(replay);
          if (isReplay(answer)) {
            onStarted({ replay: answer, confirmed: replay.complete ? replay.matched : null });
          }
        }
        announce(replays.length === 0 ? 'The webhook was enabled.' : 'The replay has started.');
      }}
    >
      <p class="breakable">
        To <strong>{webhookTitle(webhook)}</strong>
      </p>
      {enables && <p>The webhook gets the events that are posted from now on.</p>}
      {replays.length === 0 ? (
        <p>It has missed no events.</p>
      ) : (
        <>
          <p>
            {sum.complete
              ? `The service sends at most ${number}. It skips deliveries that end before it reaches them.`
              : `The range contains too many events to count all: the service sends ${number}.`}
          </p>
          {replays.length > 1 && (
            <p>Two replays send them: one the open deliveries, and one the failed and canceled deliveries.</p>
          )}
          <Duplicates sum={sum} maybeProcessed={maybeProcessed} />
          <p class="quiet">
            Receivers recognize a repeated event by the header <code>webhook-id</code>.
          </p>
        </>
      )}
    </Confirmation>
  );
}

function numberText({ matched, complete }: Pick<Sum, 'matched' | 'complete'>): string {
  return `${complete ? '' : 'more than '}${counted(matched, 'event')}`;
}

function wordsOf(enables: boolean, sends: boolean, number: string) {
  if (!enables) {
    return { title: `Send ${number}?`, deed: `Send ${number}` };
  }
  return sends
    ? { title: `Enable this webhook and send ${number}?`, deed: `Enable and send ${number}` }
    : { title: 'Enable this webhook?', deed: 'Enable webhook' };
}

type Sum = Pick<CountedReplay, 'matched' | 'complete' | 'duplicates'>;

/** The counts of all replays. */
function sumOf(replays: readonly CountedReplay[]): Sum {
  return replays.reduce<Sum>(
    (sum, { matched, complete, duplicates }) => ({
      matched: sum.matched + matched,
      complete: sum.complete && complete,
      duplicates: sum.duplicates === null || duplicates === null ? null : sum.duplicates + duplicates,
    }),
    { matched: 0, complete: true, duplicates: 0 },
  );
}

interface DuplicatesProps {
  readonly sum: Sum;
  readonly maybeProcessed: number | null;
}

function Duplicates({ sum: { duplicates, matched }, maybeProcessed }: DuplicatesProps) {
  return (
    <>
      {duplicates === null && (
        <p>
          <strong>Some of these events may become duplicates.</strong> The number of events that were
          delivered already is unknown.
        </p>
      )}
      {duplicates !== null && duplicates > 0 && (
        <p>
          <strong>{counted(duplicates, 'event becomes a duplicate', 'events become duplicates')}.</strong> The
          receiver has accepted {duplicates === 1 ? 'this event' : 'these events'} already.
        </p>
      )}
      {maybeProcessed === null && (
        <p>
          <strong>Some of these events may become duplicates.</strong> The number of events that the receiver
          may have processed is unknown.
        </p>
      )}
      {maybeProcessed !== null && maybeProcessed > 0 && (
        <p>
          <strong>
            At most {counted(Math.min(maybeProcessed, matched), 'event', 'events')} may become duplicates.
          </strong>{' '}
          Their last attempt got no response, so the receiver may have processed them.
        </p>
      )}
      {duplicates === 0 && maybeProcessed === 0 && <p>The receiver has confirmed none of these events.</p>}
    </>
  );
}
