import { useCallback } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import type { DeliveryStats } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { useRepeated } from '../api/useRepeated.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { Segmented } from '../components/segmented.js';
import { SkeletonBox } from '../components/skeleton.js';
import { useParameters } from '../navigation/useParameters.js';
import { useApi } from '../session/session.js';
import { readUndelivered } from '../webhooks/undelivered.js';
import { useWebhooks } from '../webhooks/webhookNames.js';
import { Figures, type RangeFigures } from './figures.js';
import { FirstSteps } from './firstSteps.js';
import { rangeNameOf, rangeNames, ranges } from './ranges.js';
import { totalsOf } from '../webhooks/totals.js';
import { Trouble } from './trouble.js';

const refreshMs = 30_000;
/** The reload interval for the shortest range, which users select to watch current events. */
const minuteRefreshMs = 5000;

export function OverviewPage() {
  const api = useApi();
  const [parameters, change] = useParameters();
  const rangeName = rangeNameOf(parameters.get('range'));
  const webhooks = useWebhooks();
  const loadFigures = useCallback(
    async (signal: AbortSignal): Promise<RangeFigures> => {
      const { lengthMs, bucket } = ranges[rangeName];
      const to = new Date();
      const from = new Date(to.getTime() - lengthMs);
      const query = { bucket, from: from.toISOString(), to: to.toISOString() };
      const { data } = await answerOf(api.GET('/v1/stats/deliveries', { params: { query }, signal }));
      const isUnused = isNothing(data) && (await hasNoEvents(api, signal));
      return { stats: data, from, to, rangeName, isUnused };
    },
    [api, rangeName],
  );
  const loadTrouble = useCallback(
    (signal: AbortSignal) => readUndelivered(api, new Date(Date.now() - ranges[rangeName].lengthMs), signal),
    [api, rangeName],
  );
  const figures = useLoaded(loadFigures);
  const trouble = useLoaded(loadTrouble);
  const { reload: reloadFigures } = figures;
  const { reload: reloadTrouble } = trouble;
  const reload = useCallback(() => {
    reloadFigures();
    reloadTrouble();
  }, [reloadFigures, reloadTrouble]);
  useRepeated(reload, rangeName === 'minute' ? minuteRefreshMs : refreshMs);
  const isNew = figures.value?.isUnused === true;
  return (
    <PageFrame
      title="Overview"
      lede="Undelivered events, the number of attempts and the response times of receivers."
      actions={
        !isNew && (
          <Segmented
            label="Time"
            value={rangeName}
            options={rangeNames.map((name) => [name, ranges[name].text] as const)}
            onChange={(range) => {
              change({ range });
            }}
          />
        )
      }
    >
      {isNew && <FirstSteps hasWebhook={(webhooks.value?.data.length ?? 0) > 0} />}
      <LoadedContent of={trouble} waiting={<SkeletonBox size="small" what="what was not delivered" />}>
        {(undelivered) => (
          <Trouble undelivered={undelivered} webhooks={webhooks.value?.data ?? []} isQuiet={isNew} />
        )}
      </LoadedContent>
      <LoadedContent of={figures} waiting={<SkeletonBox size="large" what="the figures" />}>
        {(shown) => !isNew && <Figures figures={shown} />}
      </LoadedContent>
    </PageFrame>
  );
}

function isNothing(stats: readonly DeliveryStats[]): boolean {
  const { events, succeeded, failed } = totalsOf(stats);
  return events + succeeded + failed === 0;
}

/** Whether no client has posted an event within the retention. */
async function hasNoEvents(api: Api, signal: AbortSignal): Promise<boolean> {
  const query = { limit: 1 };
  const events = await answerOf(api.GET('/v1/events', { params: { query }, signal }));
  return events.data.length === 0;
}
