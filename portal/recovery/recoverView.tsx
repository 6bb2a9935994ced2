import { Send } from 'lucide';
import { useState, useCallback } from 'preact/hooks';

import { answerOf, isReplay } from '../../dashboard/api/answer.js';
import type { Replay } from '../../dashboard/api/types.js';
import { useAction } from '../../dashboard/api/useAction.js';
import { useRefreshed } from '../../dashboard/api/useRefreshed.js';
import { Button } from '../../dashboard/components/button.js';
import { FailureNotice } from '../../dashboard/components/failureNotice.js';
import { Form } from '../../dashboard/components/form.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { Notice } from '../../dashboard/components/notice.js';
import { SelectField } from '../../dashboard/components/selectField.js';
import { SkeletonBox } from '../../dashboard/components/skeleton.js';
import { counted, countText } from '../../dashboard/components/timeText.js';
import { rangeNames, ranges, type RangeName } from '../../dashboard/navigation/ranges.js';
import { countReplay, type CountedReplay } from '../../dashboard/replays/countedReplay.js';
import { joinedText, replayRefreshMs, sentCount } from '../../dashboard/replays/replayCounts.js';
import { ViewFrame } from '../components/viewFrame.js';
import { useEndpoint } from '../endpoints/useEndpoint.js';
import { linkTo, linkToEventsOf } from '../navigation/view.js';
import { useApi, useMay } from '../session/portalContext.js';

const choices = [
  ['undelivered', 'Everything that was not delivered'],
  ['failed', 'Failed deliveries'],
  ['missing', 'Events that were never sent to this endpoint'],
] as const;
type Only = (typeof choices)[number][0];

/** A view that sends the failed and the missed events of an endpoint, after it has shown how many there are. */
export function RecoverView({ id }: { readonly id: string }) {
  const endpoint = useEndpoint(id);
  const maySend = useMay('events:write');
  const mayEnable = useMay('webhooks:write');
  return (
    <ViewFrame
      title="Recover events"
      back={{ href: linkTo('endpoints', id), text: 'Endpoint' }}
      lede="Count what this endpoint has not received, then send exactly that."
    >
      <LoadedContent of={endpoint} waiting={<SkeletonBox size="large" what="the endpoint" />}>
        {({ webhook }) =>
          maySend && (webhook.status === 'active' || mayEnable) ? (
            <RecoverForm id={id} isDisabled={webhook.status === 'disabled'} />
          ) : (
            <Notice kind="info">
              <p>
                {maySend
                  ? 'The endpoint is disabled, and this session cannot enable it.'
                  : 'This session cannot send events.'}
              </p>
            </Notice>
          )
        }
      </LoadedContent>
    </ViewFrame>
  );
}

function RecoverForm({ id, isDisabled }: { readonly id: string; readonly isDisabled: boolean }) {
  const api = useApi();
  const [range, setRange] = useState<RangeName>('week');
  const [only, setOnly] = useState<Only>('undelivered');
  const [found, setFound] = useState<CountedReplay | null>(null);
  const [replay, setReplay] = useState<Replay | null>(null);
  const count = useAction(async () => {
    setReplay(null);
    const since = new Date(Date.now() - ranges[range].lengthMs).toISOString();
    setFound(await countReplay(api, { webhookId: id, since, only }));
  });
  const send = useAction(async ({ body }: CountedReplay) => {
    if (isDisabled) {
      await answerOf(
        api.PATCH('/v1/webhooks/{id}', { params: { path: { id } }, body: { status: 'active' } }),
      );
    }
    const started = await answerOf(api.POST('/v1/replays', { body }));
    setReplay(isReplay(started) ? started : null);
    setFound(null);
  });
  return (
    <div class="card card-text narrow">
      <Form onSubmit={count.run}>
        <SelectField
          label="Events of the last"
          value={range}
          options={rangeNames.map((name) => [name, ranges[name].text] as const)}
          onChange={(chosen) => {
            setRange(chosen);
            setFound(null);
          }}
        />
        <SelectField
          label="What to send"
          value={only}
          options={choices}
          onChange={(chosen) => {
            setOnly(chosen);
            setFound(null);
          }}
        />
        <FailureNotice failure={count.failure ?? send.failure} />
        <div class="form-actions">
          <Button type="submit" kind={found === null ? 'primary' : 'secondary'} isBusy={count.isRunning}>
            Count events
          </Button>
          {found !== null && found.matched > 0 && (
            <Button kind="primary" icon={Send} isBusy={send.isRunning} onClick={() => send.run(found)}>
              {isDisabled ? 'Enable endpoint and send' : 'Send'} {numberText(found)}
            </Button>
          )}
          <span role="status">{found !== null && foundText(found, only, range)}</span>
        </div>
      </Form>
      {replay !== null && <RecoveryProgress replay={replay} />}
    </div>
  );
}

function numberText({ matched, complete }: CountedReplay): string {
  return `${complete ? '' : 'more than '}${counted(matched, 'event')}`;
}

const nothingTexts: Readonly<Record<Only, string>> = {
  undelivered: 'Nothing to send: this endpoint has received every event',
  failed: 'No delivery has failed',
  missing: 'No event was missed',
};

/** What the dry run found. Nothing is claimed about events that it did not reach, or that are older. */
function foundText(found: CountedReplay, only: Only, range: RangeName): string {
  return found.matched === 0 && found.complete
    ? `${nothingTexts[only]} of the last ${ranges[range].text}.`
    : `Found ${numberText(found)}.`;
}

/** How far a replay is, until all its deliveries have ended. */
function RecoveryProgress({ replay: started }: { readonly replay: Replay }) {
  const api = useApi();
  const { id } = started;
  const load = useCallback(
    (signal: AbortSignal) => answerOf(api.GET('/v1/replays/{id}', { params: { path: { id } }, signal })),
    [api, id],
  );
  const loaded = useRefreshed(load, (value) => replayRefreshMs(value ?? started));
  const replay = loaded.value ?? started;
  const { matched, omitted, done, failed } = replay;
  const total = sentCount(replay);
  return (
    <>
      <label class="replay-progress">
        <span role="status">
          {matched === null
            ? 'Counting …'
            : `Sent: ${countText(done)} delivered, ${countText(failed)} failed, of ${counted(total, 'event')}.`}
          {(omitted ?? 0) > 0 && ` ${counted(omitted ?? 0, 'event')} had ended meanwhile.`}
          {joinedText(replay)}
        </span>
        <progress max={Math.max(total, 1)} {...(matched === null ? {} : { value: done + failed })} />
      </label>
      <FailureNotice failure={loaded.failure} />
      {failed > 0 && (
        <p>
          <a href={linkToEventsOf(replay.webhookId, 'undelivered')}>Show what was not delivered</a>
        </p>
      )}
    </>
  );
}
