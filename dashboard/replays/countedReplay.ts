import { answerOf, countIn } from '../api/answer.js';
import type { Api } from '../api/client.js';
import type { Paths } from '../api/types.js';

/** The request for a replay of a time range. */
export type ReplayRequest = Omit<
  NonNullable<Paths['/v1/replays']['post']['requestBody']>['content']['application/json'],
  'dryRun' | 'eventIds' | 'since'
> & { readonly since: string };

/** A replay whose events were counted. The same replay is sent. */
export interface CountedReplay {
  readonly body: ReplayRequest & { readonly until: string };
  /** The largest number of events that the replay sends. */
  readonly matched: number;
  /** Whether all events were counted. */
  readonly complete: boolean;
  /** The number of events that were delivered already, or null while it is unknown. */
  readonly duplicates: number | null;
  /** Whether no failed delivery matches, so that the replay offers the open deliveries. */
  readonly isOffer?: boolean;
}

/** Counts the failed deliveries of a replay, or offers the open deliveries of the same range if none failed. */
export async function countOrOffer(api: Api, body: ReplayRequest): Promise<CountedReplay> {
  const counted = await countReplay(api, body);
  if (body.only !== 'failed' || counted.matched > 0 || !counted.complete) {
    return counted;
  }
  const open = await countReplay(api, { ...counted.body, only: 'open' });
  return open.matched === 0 ? counted : { ...open, isOffer: true };
}

/**
 * Counts the events of a replay. The end of the counted time range becomes part of the replay, so a replay leaves out
 * events that were posted since.
 */
export async function countReplay(api: Api, body: ReplayRequest): Promise<CountedReplay> {
  const all = await dryRun(api, body);
  const counted = { ...body, until: all.until };
  const { matched, complete } = all;
  if (body.only !== 'all') {
    return { body: counted, matched, complete, duplicates: 0 };
  }
  const undelivered = await dryRun(api, { ...counted, only: 'undelivered' });
  const areKnown = complete && undelivered.complete;
  const duplicates = areKnown ? Math.max(0, matched - undelivered.matched) : null;
  return { body: counted, matched, complete, duplicates };
}

/** Counts the events of several replays up to the same time, and leaves out replays without events. */
export async function countReplays(
  api: Api,
  bodies: readonly ReplayRequest[],
): Promise<readonly CountedReplay[]> {
  const all: CountedReplay[] = [];
  for (const body of bodies) {
    const [first] = all;
    all.push(await countReplay(api, first === undefined ? body : { ...body, until: first.body.until }));
  }
  return all.filter(({ matched, complete }) => matched > 0 || !complete);
}

async function dryRun(api: Api, body: ReplayRequest) {
  return countIn(await answerOf(api.POST('/v1/replays', { body: { ...body, dryRun: true } })));
}
