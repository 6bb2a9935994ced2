import { expect } from 'chai';

import { createEventStates, outcomesBelow } from '../../../consumers/lookups/eventStates.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { toBinary } from '../../../shared/store/client/binary.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import type { ModelAnswer, ReadModel } from '../../../shared/store/models/readModels.js';
import { start, testIdentifier } from '../../support/facts.js';

const id = testIdentifier('evt');
const data = Buffer.from('{"a":1.10}');
const event: EventDocument = {
  ...{ _id: id, type: 'order.completed', created: start, data: toBinary(data) },
  ...{ home: 0, deliveries: [], positions: {} },
};
const onlyDeliveries: EventDocument = { _id: id, home: 0, deliveries: [], positions: {} };

const unexpected = () => Promise.reject(new Error('is not asked for'));

/** A model that is only read by ids. */
function modelOf(read: () => ModelAnswer<EventDocument>): ReadModel<EventDocument> {
  return {
    findByIds: unexpected,
    findInAllAccounts: () => Promise.resolve(read()),
    findAll: unexpected,
    findPage: unexpected,
    findPacked: unexpected,
    findListPage: unexpected,
    findDerived: unexpected,
    findDistinct: unexpected,
    findValues: unexpected,
    countPage: unexpected,
    count: unexpected,
    meta: unexpected,
    recentMeta: unexpected,
    awaited: unexpected,
  };
}

/** The content of an event, for the results of successive reads of a model at a position. The log ends at offset 7. */
function contentIn(found: readonly (EventDocument | null)[], position = 7, complete = true) {
  let looks = 0;
  const states = createEventStates({
    offsets: { ends: () => Promise.resolve([7]) },
    progress: { reached: unexpected },
    model: modelOf(() => {
      const document = found[looks] ?? null;
      looks += 1;
      const meta = { version: 1, complete, positions: { events: { '0': position } }, target: {} };
      return { documents: document === null ? [] : [document], meta: { _id: 'meta', ...meta } };
    }),
  });
  return states.contentOf(id);
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('the state of an event', () => {
  /** The look-up of an event of partition 0 whose outcomes of an earlier version are in partition 2, behind these positions. */
  const stateBehind = async (deliveries: Readonly<Record<string, number>>) => {
    const lost = new AbortController();
    const states = createEventStates({
      offsets: { ends: unexpected },
      // The look-up reads the model once, and then finds its partition lost.
      progress: {
        reached: () => {
          lost.abort();
          return Promise.resolve(true);
        },
      },
      model: modelOf(() => {
        const positions = { 'events/0': 3, 'deliveries/2': 4 };
        const meta = { version: 1, complete: true, positions: { deliveries }, target: {} };
        return { documents: [{ ...event, positions }], meta: { _id: 'meta', ...meta } };
      }),
    });
    return states.knownOf(id, [outcomesBelow([5, 6, 7], [0])], lost.signal);
  };

  it('is read behind the outcomes in the home partition, and in each partition that the document names', async () => {
    expect((await stateBehind({ '0': 5, '2': 7 }))?.deliveries).to.deep.equal([]);
  });

  it('is not known before the model has passed a partition that the document names', async () => {
    expect(await stateBehind({ '0': 5, '2': 6 })).to.equal(null);
  });

  it('is not known before the model has passed the home partition', async () => {
    expect(await stateBehind({ '0': 4, '2': 7 })).to.equal(null);
  });
});

describe('the content of an event', () => {
  it('is read from the model, byte for byte', async () => {
    const content = { id, type: 'order.completed', created: start, data, tenantId: null };
    expect(await contentIn([event])).to.deep.equal(content);
    expect(await contentIn([{ ...event, tenantId: 'customer' }])).to.deep.equal({
      ...content,
      tenantId: 'customer',
    });
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
