import { expect } from 'chai';

import { createEventStates } from '../../../consumers/lookups/eventStates.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { toBinary } from '../../../shared/store/client/binary.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { start, testIdentifier } from '../../support/facts.js';

const id = testIdentifier('evt');
const data = Buffer.from('{"a":1.10}');
const event: EventDocument = {
  ...{ _id: id, type: 'order.completed', created: start, data: toBinary(data) },
  ...{ deliveries: [], positions: {} },
};
const onlyDeliveries: EventDocument = { _id: id, deliveries: [], positions: {} };

/** The content of an event, for the results of successive reads of a model at a position. The log ends at offset 7. */
function contentIn(found: readonly (EventDocument | null)[], position = 7, complete = true) {
  let looks = 0;
  const unexpected = () => Promise.reject(new Error('is not asked for'));
  const states = createEventStates({
    offsets: { ends: () => Promise.resolve([7]) },
    progress: { reached: unexpected },
    model: {
      findByIds: () => {
        const document = found[looks] ?? null;
        looks += 1;
        const meta = { version: 1, complete, positions: { events: { '0': position } }, target: {} };
        const documents = document === null ? [] : [document];
        return Promise.resolve({ documents, meta: { _id: 'meta' as const, ...meta } });
      },
      findAll: unexpected,
      findPage: unexpected,
      findListPage: unexpected,
      findDistinct: unexpected,
      findValues: unexpected,
      countPage: unexpected,
      count: unexpected,
      meta: unexpected,
      recentMeta: unexpected,
      awaited: unexpected,
    },
  });
  return states.contentOf(id);
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('the content of an event', () => {
  it('is read from the model, byte for byte', async () => {
    expect(await contentIn([event])).to.deep.equal({ id, type: 'order.completed', created: start, data });
  });

  it('is read again if the model may have received the event meanwhile', async () => {
    expect((await contentIn([null, event]))?.data).to.deep.equal(data);
  });

  it('is null if the complete model has passed the end of the log without the event', async () => {
    expect([await contentIn([]), await contentIn([onlyDeliveries, onlyDeliveries])]).to.deep.equal([
      null,
      null,
    ]);
  });

  for (const [what, position, complete] of [
    ['behind the log', 6, true],
    ['not complete', 7, false],
  ] as const) {
    it(`is not available while the model is ${what}`, async () => {
      expect(await failureOf(contentIn([], position, complete))).to.be.instanceOf(UnavailableError);
    });
  }
});
