import { expect } from 'chai';
import fc from 'fast-check';

import { evolveReplay, type Replay, type ReplayFact } from '../../../../shared/domain/replays/replay.js';
import { anyReplayFact } from '../../../support/arbitraries.js';
import {
  contextOf,
  scenario,
  secondsLater,
  start,
  testActor,
  testIdentifier,
  type InContext,
} from '../../../support/facts.js';
import {
  replayCanceled,
  replayCompleted,
  replayProgressed,
  replayRequested,
  testReplayId,
} from '../../../support/replayFacts.js';
import { itHolds } from '../../../support/itHolds.js';

type Fact = InContext<ReplayFact>;

const { given } = scenario<Replay, Fact>(evolveReplay);

const anyFact: fc.Arbitrary<Fact> = anyReplayFact.map((fact) => ({
  ...fact,
  context: contextOf(testReplayId),
}));
const anyHistory = fc.array(anyFact, { maxLength: 12 });

function fold(facts: readonly Fact[]): Replay | null {
  return facts.reduce<Replay | null>(evolveReplay, null);
}

describe('evolveReplay', () => {
  it('starts with the fields of the request, and no counts', () => {
    expect(given().when(replayRequested()).after).to.deep.equal({
      id: testReplayId,
      accountId: testIdentifier('acct'),
      mode: 'live',
      tenantId: null,
      tenancy: null,
      webhookId: testIdentifier('wh'),
      status: 'running',
      filter: { since: start, until: secondsLater(3600), types: null, only: 'failed' },
      subscription: ['*'],
      epoch: 0,
      eventsBelow: [10, 20, 30],
      actor: testActor,
      matched: null,
      omitted: null,
      cursor: null,
      created: start,
      finishedAt: null,
    });
  });

  it('contains the number of matching events once they are counted', () => {
    expect(given(replayRequested()).when(replayProgressed(7)).after).to.deep.include({
      matched: 7,
      cursor: null,
    });
  });

  it('advances its cursor', () => {
    const { after } = given(replayRequested(), replayProgressed(7, 1)).when(replayProgressed(7, 2));

    expect(after?.cursor).to.deep.equal({ created: secondsLater(2), eventId: testIdentifier('evt', 2) });
  });

  it('does not move its cursor back', () => {
    const { before, after } = given(replayRequested(), replayProgressed(7, 2)).when(replayProgressed(7, 1));

    expect(after).to.deep.equal(before);
  });

  it('orders events with the same time by their ids', () => {
    const at = (eventId: string): Fact => ({
      type: 'postrider.replay.progressed',
      value: { matched: 7, cursor: { created: start, eventId } },
      context: contextOf(testReplayId),
    });

    expect(given(replayRequested(), at('evt_b')).when(at('evt_a')).after?.cursor?.eventId).to.equal('evt_b');
    expect(given(replayRequested(), at('evt_a')).when(at('evt_b')).after?.cursor?.eventId).to.equal('evt_b');
  });

  it('orders events with different times by their times, whatever their ids', () => {
    const at = (seconds: number, eventId: string): Fact => ({
      type: 'postrider.replay.progressed',
      value: { matched: 7, cursor: { created: secondsLater(seconds), eventId } },
      context: contextOf(testReplayId),
    });

    expect(given(replayRequested(), at(1, 'evt_a')).when(at(0, 'evt_b')).after?.cursor?.eventId).to.equal(
      'evt_a',
    );
  });

  it('is in the mode of its request', () => {
    const context = contextOf(testReplayId, { mode: 'test' });

    expect(given().when({ ...replayRequested(), context }).after?.mode).to.equal('test');
  });

  it('ends with the number of matching events, and of those that were not sent', () => {
    expect(
      given(replayRequested(), replayProgressed(7, 1)).when(replayCompleted(7, 2)).after,
    ).to.deep.include({
      status: 'completed',
      matched: 7,
      omitted: 2,
      finishedAt: secondsLater(100),
    });
  });

  it('has omitted nothing if a record of an earlier version completes it, which names the sent events', () => {
    expect(given(replayRequested(), replayProgressed(7, 1)).when(replayCompleted(6)).after).to.deep.include({
      matched: 6,
      omitted: 0,
    });
  });

  it('ends when it is canceled', () => {
    expect(given(replayRequested()).when(replayCanceled()).after).to.deep.include({
      status: 'canceled',
      matched: null,
      finishedAt: secondsLater(200),
    });
  });

  it('is null before it was requested', () => {
    expect(given().when(replayProgressed(1, 1)).after).to.equal(null);
  });

  itHolds(
    'does not change after its end, whatever follows',
    [fc.constantFrom(replayCanceled(), replayCompleted(3)), anyHistory],
    (end, later) => {
      const { before, after } = given(replayRequested(), end).when(...later);
      expect(after).to.deep.equal(before);
    },
  );

  itHolds(
    'is the same if any of its facts is duplicated',
    [anyHistory, fc.nat(), fc.nat()],
    (history, which, behind) => {
      const index = which % Math.max(1, history.length);
      const repeated = history.slice(index, index + 1);
      const place = index + (behind % (history.length - index + 1)) + repeated.length;
      const twice = [...history.slice(0, place), ...repeated, ...history.slice(place)];
      expect(fold([replayRequested(), ...twice])).to.deep.equal(fold([replayRequested(), ...history]));
    },
  );
});
