import type { ReplayFact, ReplayRequested } from '../../shared/domain/replays/replay.js';
import { contextOf, secondsLater, start, testActor, testIdentifier, type InContext } from './facts.js';

type ReplayFactInContext = InContext<ReplayFact>;

/** The replay of all these facts. */
export const testReplayId = testIdentifier('rpl');

function inContext(fact: ReplayFact, at = start): ReplayFactInContext {
  return { ...fact, context: contextOf(testReplayId, { at }) };
}

export function replayRequested(value: Partial<ReplayRequested> = {}): ReplayFactInContext {
  return inContext({
    type: 'postrider.replay.requested',
    value: {
      webhookId: testIdentifier('wh'),
      filter: { since: start, until: secondsLater(3600), types: null, only: 'failed' },
      subscription: ['*'],
      epoch: 0,
      eventsBelow: [10, 20, 30],
      actor: testActor,
      ...value,
    },
  });
}

/** The progress of the replay up to the event of that number, which was created this number of seconds after the start. */
export function replayProgressed(matched: number, event: number | null = null): ReplayFactInContext {
  const cursor =
    event === null ? null : { created: secondsLater(event), eventId: testIdentifier('evt', event) };
  return inContext({ type: 'postrider.replay.progressed', value: { matched, cursor } });
}

export function replayCompleted(matched: number, omitted?: number): ReplayFactInContext {
  const value = { matched, ...(omitted !== undefined && { omitted }) };
  return inContext({ type: 'postrider.replay.completed', value }, secondsLater(100));
}

export function replayCanceled(): ReplayFactInContext {
  const value = { reason: 'requested', actor: testActor } as const;
  return inContext({ type: 'postrider.replay.canceled', value }, secondsLater(200));
}
