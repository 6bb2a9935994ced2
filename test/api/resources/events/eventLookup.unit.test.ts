import { expect } from 'chai';

import { createEventLookup } from '../../../../api/resources/events/eventLookup.js';
import { UnavailableError } from '../../../../shared/core/errors.js';
import { toBinary } from '../../../../shared/store/client/binary.js';
import type { EventDocument } from '../../../../shared/store/models/documents.js';
import type { MetaDocument } from '../../../../shared/store/models/generations.js';
import { hasReached } from '../../../../shared/store/models/modelProgress.js';

const id = 'evt_01HZZZZZZZZZZZZZZZZZZZZZZZ';
const owner = { accountId: 'acct_1', mode: 'live', tenant: null } as const;

const stored: EventDocument = {
  _id: id,
  ...owner,
  type: 'a',
  created: new Date(0),
  data: toBinary(Buffer.from('{}')),
  onlyWebhookId: null,
  home: 0,
  deliveries: [],
  positions: {},
};
const onlyDeliveries: EventDocument = { _id: id, home: 0, deliveries: [], positions: {} };

/** A model with two partitions: its position in the first one, its document now, and its document once it has caught up. */
interface Model {
  readonly holds: EventDocument | null;
  readonly position: number;
  /** The position in the second partition, whose end is 3. */
  readonly otherPosition?: number;
  readonly complete?: boolean;
  readonly later?: EventDocument | null;
  readonly catchesUp?: boolean | Promise<boolean>;
}

/** A lookup over such a model. The partitions of the log end at the offsets 7 and 3. */
function lookupOver({
  holds,
  position,
  otherPosition = 3,
  complete = true,
  later = null,
  catchesUp = true,
}: Model) {
  const meta: MetaDocument = {
    _id: 'meta',
    version: 1,
    complete,
    positions: { events: { '0': position, '1': otherPosition } },
    target: {},
  };
  let isCaughtUp = false;
  return createEventLookup({
    takenUp: { refresh: () => Promise.resolve(), areDeliveriesComplete: () => true },
    offsets: { ends: () => Promise.resolve([7, 3]) },
    progress: {
      reached: async (topic, awaited) => {
        isCaughtUp = hasReached(meta, topic, awaited) || (await catchesUp);
        return isCaughtUp;
      },
    },
    events: {
      findByIds: () => {
        const document = isCaughtUp ? later : holds;
        return Promise.resolve({ documents: document === null ? [] : [document], meta });
      },
    },
  });
}

const failureOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

describe('the lookup of an event', () => {
  it('finds an event in the model', async () => {
    const event = await lookupOver({ holds: stored, position: 0, catchesUp: false }).find(owner, id);
    expect(event?.id).to.equal(id);
  });

  it('finds an event that reaches the model while the lookup waits', async () => {
    const event = await lookupOver({ holds: null, position: 6, later: stored }).find(owner, id);
    expect(event?.id).to.equal(id);
  });

  it('waits for an event of which the model has only deliveries', async () => {
    const event = await lookupOver({ holds: onlyDeliveries, position: 6, later: stored }).find(owner, id);
    expect(event?.id).to.equal(id);
  });

  it('finds no event if the model has passed the end of the log', async () => {
    expect(await lookupOver({ holds: null, position: 7, catchesUp: false }).find(owner, id)).to.equal(null);
  });

  it('fails if the model has not passed the end of a single partition, because any partition may contain the event', async () => {
    for (const positions of [
      { position: 7, otherPosition: 2 },
      { position: 6, otherPosition: 3 },
    ]) {
      const lookup = lookupOver({ holds: null, ...positions, catchesUp: false });
      expect(await failureOf(lookup.find(owner, id))).to.be.instanceOf(UnavailableError);
    }
  });

  it('finds no event if the model passes the end of the log while the lookup waits', async () => {
    expect(await lookupOver({ holds: null, position: 6 }).find(owner, id)).to.equal(null);
  });

  it('fails if the model does not reach the end of the log in time', async () => {
    const failure = await failureOf(
      lookupOver({ holds: null, position: 6, catchesUp: false }).find(owner, id),
    );
    expect(failure).to.be.instanceOf(UnavailableError);
  });

  it('fails for an event in an incomplete model, because deliveries may be missing', async () => {
    const model = { holds: stored, position: 7, complete: false, catchesUp: false };
    expect(await failureOf(lookupOver(model).find(owner, id))).to.be.instanceOf(UnavailableError);
  });

  it('answers a malformed id without waiting', async () => {
    const model = { holds: null, position: 6, catchesUp: false };
    expect(await lookupOver(model).find(owner, 'evt_1')).to.equal(null);
  });

  it('hides an event from another account and in the other mode', async () => {
    const lookup = lookupOver({ holds: stored, position: 7 });
    expect(await lookup.find({ ...owner, accountId: 'acct_2' }, id)).to.equal(null);
    expect(await lookup.find({ ...owner, mode: 'test' }, id)).to.equal(null);
  });

  it('lets 100 requests of an account wait at once, and rejects more', async () => {
    let catchUp: (caughtUp: boolean) => void = () => undefined;
    const catchesUp = new Promise<boolean>((resolve) => {
      catchUp = resolve;
    });
    const lookup = lookupOver({ holds: null, position: 6, catchesUp });
    const waiting = Array.from({ length: 100 }, () => lookup.find(owner, id));
    const ofOther = lookup.find({ ...owner, accountId: 'acct_2' }, id);
    const failure = await failureOf(lookup.find(owner, id));
    catchUp(true);
    expect((await Promise.all([...waiting, ofOther])).every((event) => event === null)).to.equal(true);
    expect(failure).to.be.instanceOf(UnavailableError);
  });

  it('lets further requests wait once the earlier ones are answered', async () => {
    const lookup = lookupOver({ holds: null, position: 6 });
    await Promise.all(Array.from({ length: 100 }, () => lookup.find(owner, id)));
    expect(await lookup.find(owner, id)).to.equal(null);
  });

  it('fails if the log does not report its end in time', async () => {
    const lookup = createEventLookup({
      takenUp: { refresh: () => Promise.resolve(), areDeliveriesComplete: () => true },
      waitMs: 20,
      offsets: { ends: () => new Promise(() => undefined) },
      progress: { reached: () => Promise.resolve(true) },
      events: {
        findByIds: () =>
          Promise.resolve({
            documents: [],
            meta: { _id: 'meta', version: 1, complete: true, positions: {}, target: {} },
          }),
      },
    });
    expect(await failureOf(lookup.find(owner, id))).to.be.instanceOf(UnavailableError);
  });
});
