import { expect } from 'chai';

import { createSettledLives } from '../../../projections/erasure/settledLives.js';
import type { AliasDocument, ModelPositions } from '../../../shared/store/models/generations.js';
import type { EndingLife } from '../../../shared/tenants/endedLives.js';
import { start, testIdentifier } from '../../support/facts.js';

const life: EndingLife = {
  accountId: testIdentifier('acct'),
  mode: 'live',
  ...{ tenantId: 'customer-1', lifeId: 'life-1', eventsFrom: [0, 0], eventsBelow: [5, 8] },
  ...{ deletedAt: start, isErased: false },
};

interface Situation {
  takenUp: readonly number[];
  now: number;
  end: number;
  /** The next offset of every topic in each generation of the model `events`. */
  positions: Readonly<Record<string, number>>;
  alias: Omit<AliasDocument, '_id'>;
}

const settledAfterMs = 100;

/** Whether the life is settled in each of these situations, one after the other. */
async function settledIn(...changes: readonly Partial<Situation>[]): Promise<readonly boolean[]> {
  const situation: Situation = {
    ...{ takenUp: [5, 8], now: 0, end: 50, positions: { live: 50 }, alias: { live: 'live' } },
  };
  const everywhere = (offset: number): ModelPositions => ({
    events: { 0: offset },
    deliveries: { 0: offset },
    replays: { 0: offset },
    webhooks: { 0: offset },
  });
  const settled = createSettledLives({
    groups: {
      positions: () =>
        Promise.resolve(situation.takenUp.map((offset) => ({ committed: 0, takenUp: { offset, at: null } }))),
    },
    deliveryGroup: { groupId: 'delivery', topics: ['events'] },
    offsets: { ends: () => Promise.resolve([situation.end]) },
    aliases: {
      all: () =>
        Promise.resolve(
          new Map<string, AliasDocument>([
            ['events', { _id: 'events', ...situation.alias }],
            ...['attempts', 'replays', 'webhooks'].map((_id): [string, AliasDocument] => [
              _id,
              { _id, live: 'other' },
            ]),
          ]),
        ),
    },
    generations: {
      metaOf: (name) =>
        Promise.resolve({
          ...{ _id: 'meta', version: 1, complete: true, target: {} },
          positions: everywhere(name === 'other' ? 1000 : (situation.positions[name] ?? 0)),
        }),
    },
    settledAfterMs,
    now: () => situation.now,
  });
  const results: boolean[] = [];
  for (const change of changes) {
    Object.assign(situation, change);
    results.push(await settled.startPass()(life));
  }
  return results;
}

const later = { now: settledAfterMs };

describe('a life of a tenant that has ended', () => {
  it('is settled when delivery has taken up its events, an attempt is over, and the models have passed the log', async () => {
    expect(await settledIn({}, { now: settledAfterMs - 1 }, later)).to.deep.equal([false, false, true]);
  });

  it('is not settled while delivery has not taken up all events, and the time of an attempt begins then', async () => {
    const changes = [{ takenUp: [5, 7] }, later, { takenUp: [5, 8] }, { now: 2 * settledAfterMs }];
    expect(await settledIn(...changes)).to.deep.equal([false, false, false, true]);
  });

  it('waits for the end of the log after the time of an attempt, and for no later record', async () => {
    const changes = [{}, { ...later, end: 60 }, { positions: { live: 60 } }, { end: 70 }];
    expect(await settledIn(...changes)).to.deep.equal([false, false, true, true]);
  });

  const written: Readonly<Record<string, Partial<AliasDocument>>> = {
    'that is being built': { building: { name: 'other-1', purpose: 'switch', state: 'building' } },
    'that was live before': {
      previous: { name: 'other-1', written: true, documents: 0, successorDocuments: 0 },
    },
  };
  for (const [what, alias] of Object.entries(written)) {
    it(`is not settled before a generation ${what} has passed the log`, async () => {
      const changes = [
        { alias: { live: 'live', ...alias } },
        later,
        { positions: { live: 50, 'other-1': 50 } },
      ];
      expect(await settledIn(...changes)).to.deep.equal([false, false, true]);
    });
  }

  it('is not settled while a generation is being converted', async () => {
    const building = { name: 'other-1', purpose: 'switch', state: 'converting' } as const;
    const changes = [
      {},
      { ...later, positions: { live: 50, 'other-1': 50 }, alias: { live: 'live', building } },
    ];
    expect(await settledIn(...changes)).to.deep.equal([false, false]);
  });

  it('does not wait for a generation that no process writes', async () => {
    const previous = { name: 'other-1', written: false, documents: 0, successorDocuments: 0 };
    expect(await settledIn({ alias: { live: 'live', previous } }, later)).to.deep.equal([false, true]);
  });
});
