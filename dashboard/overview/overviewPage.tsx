import { useCallback, useRef } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import type { DeliveryStats } from '../api/types.js';
import type { Loaded } from '../api/useLoaded.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { AddressFaults } from '../components/addressFaults.js';
import { FailureNotice } from '../components/failureNotice.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { Segmented } from '../components/segmented.js';
import { SkeletonBox } from '../components/skeleton.js';
import { ExportButton } from '../export/exportButton.js';
import { knownRange, rangeNames, ranges } from '../navigation/ranges.js';
import { useParameters } from '../navigation/useParameters.js';
import { useApi } from '../session/session.js';
import type { KnownWebhooks } from '../webhooks/webhookList.js';
import { useWebhooks } from '../webhooks/webhookNames.js';
import { Figures, type RangeFigures } from './figures.js';
import { FirstSteps } from './firstSteps.js';
import { totalsOf } from '../webhooks/totals.js';
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
  const waiting = <SkeletonBox size="small" what="what was not delivered" />;
  // The webhooks of another page have no health. They are the present ones, but their trouble is not known yet.
  if (isStale) {
    return waiting;
  }
  return (
    <LoadedContent of={webhooks} waiting={waiting}>
      {(known) => {
        const retrying = known.data.reduce((total, { health }) => total + (health?.retrying ?? 0), 0);
        return (
          <>
            <FailureNotice failure={known.healthFailure} onRetry={reload} />
            <Trouble known={known} isPresent={!isOutdated} isQuiet={isNew} />
            {retrying > 0 && <Retries count={retrying} />}
          </>
        );
      }}
    </LoadedContent>
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
