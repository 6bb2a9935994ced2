import { expect } from 'chai';

import { createAttemptNumbers } from '../../../../api/resources/attempts/attemptNumbers.js';
import { attemptsProjection } from '../../../../projections/models/attempts.js';
import { eventsProjection } from '../../../../projections/models/events.js';
import type { DeliveryFact } from '../../../../shared/domain/deliveries/deliveryFacts.js';
import { deliveryRecords } from '../../../../shared/log/records/deliveries.js';
import type { EventDocument } from '../../../../shared/store/models/documents.js';
import { metaId, type MetaDocument } from '../../../../shared/store/models/generations.js';
import { requested, succeeded } from '../../../support/deliveryFacts.js';
import { testIdentifier, type InContext } from '../../../support/facts.js';
import { rawRecord } from '../../../support/records.js';
import { foldAll, foldedDocument } from '../../../projections/foldedLog.js';

const facts = [
  requested(1),
  requested(2),
  ...[0, 2, 1].map((cycle) => succeeded({ cycle, number: 1, webhookId: testIdentifier('wh') })),
];

function recordsOf(given: readonly InContext<DeliveryFact>[]) {
  return given.map((fact, offset) =>
    rawRecord(deliveryRecords.encode(fact, fact.context, 2), { partition: 2, offset }),
  );
}

const attempts = [...foldAll(attemptsProjection, [recordsOf(facts)]).values()];
const caughtUp = foldedDocument(eventsProjection, recordsOf(facts));
const behind = foldedDocument(eventsProjection, recordsOf(facts.slice(0, -1)));

function metaAt(offset: number): MetaDocument {
  return { _id: metaId, version: 1, complete: true, positions: { deliveries: { '2': offset } }, target: {} };
}

/** The numbers with the event as the model of the deliveries contains it in one read after the other. */
async function numbersWith(...reads: readonly (EventDocument | undefined)[]) {
  const remaining = [...reads];
  const awaited: unknown[] = [];
  const numbersOf = createAttemptNumbers({
    attempts: { meta: () => Promise.resolve(metaAt(facts.length)) },
    deliveries: {
      findByIds: () => {
        const event = remaining.shift();
        return Promise.resolve({ documents: event === undefined ? [] : [event], meta: metaAt(0) });
      },
    },
    progress: {
      reached: (topic, offsets) => {
        awaited.push([topic, ...offsets]);
        return Promise.resolve(true);
      },
    },
  });
  const numbers = await numbersOf(attempts, testIdentifier('acct'));
  return { numbers: attempts.map(({ _id: id, cycle }) => [cycle, numbers.get(id)]), awaited };
}

const inOrderOfLog = [
  [0, 1],
  [2, 2],
  [1, 3],
];

describe('createAttemptNumbers', () => {
  it('returns the places of the attempts in the log, although their records have the same number', async () => {
    expect(await numbersWith(caughtUp)).to.deep.equal({ numbers: inOrderOfLog, awaited: [] });
  });

  for (const [what, before] of [
    ['an attempt', behind],
    ['the event', undefined],
  ] as const) {
    it(`waits for the model of the deliveries if it does not contain ${what} yet`, async () => {
      expect(await numbersWith(before, caughtUp)).to.deep.equal({
        numbers: inOrderOfLog,
        awaited: [['deliveries', [2, facts.length]]],
      });
    });
  }

  it('returns the numbers of the records for a delivery that does not contain its attempts', async () => {
    const converted = caughtUp && {
      ...caughtUp,
      deliveries: caughtUp.deliveries.map(({ attemptIds: _ids, ...delivery }) => delivery),
    };
    expect(await numbersWith(converted)).to.deep.equal({
      numbers: [0, 2, 1].map((cycle) => [cycle, 1]),
      awaited: [],
    });
  });
});
