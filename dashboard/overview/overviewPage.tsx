import { useCallback, useRef, useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import type { DeliveryStats, Replay } from '../api/types.js';
import type { Loaded } from '../api/useLoaded.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { AddressFaults } from '../components/addressFaults.js';
import { LinkButton } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { LoadedContent } from '../components/loadedContent.js';
import { Notice } from '../components/notice.js';
import { PageFrame } from '../components/pageFrame.js';
import { Segmented } from '../components/segmented.js';
import { SkeletonBox } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { ExportButton } from '../export/exportButton.js';
import { knownRange, rangeNames, ranges } from '../navigation/ranges.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useParameters } from '../navigation/useParameters.js';
import { useRecovery } from '../replays/useRecovery.js';
import { useApi } from '../session/session.js';
import type { KnownWebhooks } from '../webhooks/webhookList.js';
import { TotalHealth } from '../webhooks/totalHealth.js';
import { totalsOf } from '../webhooks/totals.js';
import { WebhookLink } from '../webhooks/webhookLink.js';
import { useWebhooks } from '../webhooks/webhookNames.js';
import { Figures, type RangeFigures } from './figures.js';
import { FirstSteps } from './firstSteps.js';
import { Retries } from './retries.js';
import { Trouble } from './trouble.js';

const refreshMs = 30_000;
const columnsOfStats = ['start', 'events', 'succeeded', 'failed', 'p50Ms', 'p95Ms', 'p99Ms', 'byStatusCode'];
/** The reload interval for the shortest range, which users select to watch current events. */
const minuteRefreshMs = 5000;

export function OverviewPage() {
  const api = useApi();
  const [parameters, change] = useParameters();
  const rangeName = knownRange(parameters.get('range')) ?? 'day';
  const webhooks = useWebhooks();
  const hasEvents = useRef(false);
  const loadFigures = useCallback(
    async (signal: AbortSignal): Promise<RangeFigures> => {
      const { lengthMs, bucket } = ranges[rangeName];
      const to = new Date();
      const from = new Date(to.getTime() - lengthMs);
      const query = { bucket, from: from.toISOString(), to: to.toISOString() };
      const { data } = await answerOf(api.GET('/v1/stats/deliveries', { params: { query }, signal }));
      // An account that has posted an event is never new again, so each refresh needs no second request.
      hasEvents.current ||= !isNothing(data) || !(await hasNoEvents(api, signal));
      const isUnused = !hasEvents.current;
      return { stats: data, from, to, rangeName, isUnused };
    },
    [api, rangeName],
  );
  const read = (): Promise<string> => {
    const { lengthMs, bucket } = ranges[rangeName];
    const query = { bucket, from: new Date(Date.now() - lengthMs).toISOString() };
    return answerOf(api.GET('/v1/stats/deliveries', { params: { query }, parseAs: 'text' }));
  };
  const everyMs = rangeName === 'minute' ? minuteRefreshMs : refreshMs;
  const figures = useRefreshed(loadFigures, () => everyMs);
  const isNew = figures.value?.isUnused === true;
  return (
    <PageFrame
      title="Overview"
      lede="Undelivered events of any age, and the figures of the chosen time."
      actions={
        !isNew && (
          <>
            <ExportButton what="statistics" columns={columnsOfStats} read={read} />
            <Segmented
              label="Time"
              value={rangeName}
              options={rangeNames.map((name) => [name, ranges[name].text] as const)}
              onChange={(range) => {
                change({ range });
              }}
            />
          </>
        )
      }
    >
      {isNew && <FirstSteps hasWebhook={(webhooks.value?.data.length ?? 0) > 0} />}
      <RangeFault />
      <TroubleOf webhooks={webhooks} isNew={isNew} />
      <LoadedContent of={figures} waiting={<SkeletonBox size="large" what="the figures" />}>
        {(shown) => !isNew && <Figures figures={shown} />}
      </LoadedContent>
    </PageFrame>
  );
}

interface TroubleOfProps {
  readonly webhooks: Loaded<KnownWebhooks>;
  readonly isNew: boolean;
}

/** The trouble of the webhooks, which does not depend on the time range of the figures. */
function TroubleOf({ webhooks, isNew }: TroubleOfProps) {
  const { isStale, isOutdated, reload } = webhooks;
  const [started, setStarted] = useState<Replay | null>(null);
  const recovery = useRecovery({
    onStarted: ({ replay }) => {
      setStarted(replay);
    },
    onChanged: reload,
  });
  const waiting = <SkeletonBox size="small" what="what was not delivered" />;
  // The webhooks of another page have no health. They are the present ones, but their trouble is not known yet.
  if (isStale) {
    return waiting;
  }
  return (
    <>
      <LoadedContent of={webhooks} waiting={waiting}>
        {(known) => (
          <>
            <FailureNotice failure={known.healthFailure} onRetry={reload} />
            <Trouble known={known} isPresent={!isOutdated} recovery={recovery} isQuiet={isNew} />
            {started !== null && <Started replay={started} />}
            <Others known={known} />
          </>
        )}
      </LoadedContent>
      {recovery.view}
    </>
  );
}

/** The deliveries that are being retried. In an account with more webhooks, the totals of all webhooks. */
function Others({ known: { data, hasMore } }: { readonly known: KnownWebhooks }) {
  const mode = useMode();
  if (hasMore) {
    return mode === 'live' && <TotalHealth title="All webhooks" tenantId={null} everyMs={refreshMs} />;
  }
  const retrying = data.reduce((total, { health }) => total + (health?.retrying ?? 0), 0);
  return retrying > 0 && <Retries count={retrying} />;
}

/** Where to follow a replay that the user has started on this page. */
function Started({ replay: { webhookId, created } }: { readonly replay: Replay }) {
  const address = useAddress();
  return (
    <Notice
      kind="info"
      actions={
        <LinkButton isSmall href={address(`/webhooks/${webhookId}/recover`)}>
          Show progress
        </LinkButton>
      }
    >
      <p>
        A replay to <WebhookLink id={webhookId} /> was started <Time at={created} form="relative" />.
      </p>
    </Notice>
  );
}

function RangeFault() {
  const [parameters, change] = useParameters();
  const range = parameters.get('range');
  return (
    <AddressFaults
      faults={range !== null && knownRange(range) === null ? [`range=${range}`] : []}
      onRemove={() => {
        change({ range: null });
      }}
    />
  );
}

function isNothing(stats: readonly DeliveryStats[]): boolean {
  const { events, succeeded, failed } = totalsOf(stats);
  return events + succeeded + failed === 0;
}

/** Whether no client has posted an event within the retention. */
async function hasNoEvents(api: Api, signal: AbortSignal): Promise<boolean> {
  const query = { limit: 1, fields: 'summary' as const };
  const events = await answerOf(api.GET('/v1/events', { params: { query }, signal }));
  return events.data.length === 0;
}
