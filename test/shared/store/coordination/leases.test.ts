import { expect } from 'chai';

import { UnknownOutcomeError } from '../../../../shared/core/errors.js';
import type { Mongo } from '../../../../shared/store/client/client.js';
import {
  createLeases,
  type FenceRequest,
  type Lease,
  type Leases,
} from '../../../../shared/store/coordination/leases.js';
import { openNewDatabase } from '../../../support/mongo.js';

const name = 'acct_1';

interface StoredLease {
  readonly _id: string;
  readonly holder: string;
  readonly until: Date;
}

describe('Leases', () => {
  let mongo: Mongo;
  let leases: Leases;
  let fences: FenceRequest[];

  beforeEach(async () => {
    mongo = await openNewDatabase();
    leases = createLeases(mongo.database);
    fences = [];
  });
  afterEach(() => mongo.close());

  const documents = () => mongo.database.collection<StoredLease>('leases');

  /** Makes the lease expire, as the database's clock would. */
  const expire = () => documents().updateOne({ _id: name }, { $set: { until: new Date(1) } });

  const fence = (request: FenceRequest) => {
    fences.push(request);
    return Promise.resolve();
  };

  const request = { name, topic: 'webhooks', fence } as const;

  const hold = (work: (lease: Lease) => Promise<unknown> = () => Promise.resolve()) =>
    leases.hold({ ...request, isNew: true }, work);

  /** Holds the lease of a command whose append has no acknowledgement. */
  const holdUnknown = () =>
    hold(() => Promise.reject(new UnknownOutcomeError('no acknowledgement'))).catch(() => undefined);

  const numberOf = async () => {
    let number = 0;
    await hold((lease) => {
      number = lease.number;
      return Promise.resolve();
    });
    return number;
  };

  it('have a number that rises each time, also after MongoDB was emptied', async () => {
    const first = await numberOf();
    const second = await numberOf();
    await documents().drop();
    const third = await numberOf();
    expect([first < second, second < third]).to.deep.equal([true, true]);
  });

  it('have a higher number than the one before, even if the clock of the database was set back', async () => {
    const first = await numberOf();
    await documents().updateOne({ _id: name }, { $set: { number: first + 3_600_000 } });
    expect(await numberOf()).to.equal(first + 3_600_001);
  });

  describe('of a tenant', () => {
    const tenant = 'acct_1/live/customer-42';
    let floors: number[];
    beforeEach(() => {
      floors = [];
    });

    const floor = {
      name: 'acct_1/floor',
      fence: ({ number }: { readonly number: number }) => {
        floors.push(number);
        return Promise.resolve();
      },
    };

    const holdTenant = (lease: string, work: (held: Lease) => Promise<unknown> = () => Promise.resolve()) =>
      leases.hold({ ...request, name: lease, floor }, work);

    const numberOfTenant = async (lease: string) => {
      let number = 0;
      await holdTenant(lease, (held) => {
        number = held.number;
        return Promise.resolve();
      });
      return number;
    };

    it('make the floor of their account once, and have higher numbers', async () => {
      const given = [await numberOfTenant(tenant), await numberOfTenant('acct_1/live/other')];
      const [made = Infinity, ...others] = floors;
      expect([given.every((number) => number > made), others, fences]).to.deep.equal([true, [], []]);
    });

    it('make another floor with a higher number after MongoDB was emptied', async () => {
      await holdTenant(tenant);
      await documents().drop();
      const number = await numberOfTenant(tenant);
      const [first = 0, second = 0] = floors;
      expect([floors.length, first < second, second < number]).to.deep.equal([2, true, true]);
    });

    it('run no work if the floor cannot be fenced, and the next holder makes it', async () => {
      const failing = { ...floor, fence: () => Promise.reject(new Error('no broker')) };
      const outcome = await leases
        .hold({ ...request, name: tenant, floor: failing }, () => Promise.resolve('done'))
        .catch((error: unknown) => String(error));
      await holdTenant(tenant);
      expect([outcome, floors.length]).to.deep.equal(['Error: no broker', 1]);
    });

    it('are forgotten an hour after their release, but not after an unknown outcome', async () => {
      const stored = async () =>
        (await documents().findOne({ _id: tenant }, { projection: { forgetAt: 1 } })) as {
          readonly forgetAt?: Date;
        } | null;
      await holdTenant(tenant);
      const released = await stored();
      await holdTenant(tenant, () => Promise.reject(new UnknownOutcomeError('no answer'))).catch(
        () => undefined,
      );
      expect([released?.forgetAt instanceof Date, (await stored())?.forgetAt]).to.deep.equal([
        true,
        undefined,
      ]);
    });

    it('fence every topic that the next command decides on after an unknown outcome', async () => {
      await holdTenant(tenant, () => Promise.reject(new UnknownOutcomeError('no answer'))).catch(
        () => undefined,
      );
      await documents().updateOne({ _id: tenant }, { $set: { until: new Date(1) } });
      const next = { ...request, name: tenant, floor, topic: 'tenants', reads: ['webhooks'] } as const;
      await leases.hold(next, () => Promise.resolve());
      expect(fences.map(({ topic }) => topic)).to.deep.equal(['webhooks']);
    });
  });

  it('require no fence after a release, whether the work has succeeded or failed', async () => {
    await hold();
    await hold(() => Promise.reject(new Error('refused'))).catch(() => undefined);
    await hold();
    expect(fences).to.deep.equal([]);
  });

  it('stay taken while the outcome of an append is unknown', async () => {
    await holdUnknown();
    const other = createLeases(mongo.database);
    expect(await other.holdIfFree(name, () => Promise.resolve())).to.equal(false);
  });

  it('that have expired fence the topic of the earlier holder before the work begins', async () => {
    await holdUnknown();
    await expire();
    let fencedFirst = 0;
    await leases.hold(request, () => {
      fencedFirst = fences.length;
      return Promise.resolve();
    });
    expect([fencedFirst, fences.map(({ topic }) => topic)]).to.deep.equal([1, ['webhooks']]);
  });

  it('leave a topic to the next command of that topic, whatever other commands run in between', async () => {
    await holdUnknown();
    await expire();
    await leases.hold({ ...request, topic: 'accounts' }, () => Promise.resolve());
    const before = fences.length;
    await hold();
    await hold();
    expect([before, fences.map(({ topic }) => topic)]).to.deep.equal([0, ['webhooks']]);
  });

  it('leave a topic to the next holder if it could not be fenced', async () => {
    await holdUnknown();
    await expire();
    const failing = () => Promise.reject(new Error('Kafka does not respond'));
    const outcome = await leases
      .hold({ ...request, fence: failing }, () => Promise.resolve())
      .then(
        () => 'held',
        () => 'failed',
      );
    await hold();
    await hold();
    expect([outcome, fences.map(({ topic }) => topic)]).to.deep.equal(['failed', ['webhooks']]);
  });

  it('leave the topic of each crashed holder to the next one', async () => {
    await holdUnknown();
    await expire();
    const unknown = () => Promise.reject(new UnknownOutcomeError('no acknowledgement'));
    await leases.hold({ ...request, topic: 'accounts' }, unknown).catch(() => undefined);
    await expire();
    await leases.hold({ ...request, topic: 'accounts' }, () => Promise.resolve());
    await hold();
    expect(fences.map(({ topic }) => topic)).to.deep.equal(['accounts', 'webhooks']);
  });

  const holdEachTopic = async () => {
    for (const topic of ['webhooks', 'accounts', 'replays', 'deliveries', 'webhooks'] as const) {
      await leases.hold({ ...request, topic }, () => Promise.resolve());
    }
    return fences.map(({ topic }) => topic);
  };

  it('fence each topic once if earlier holders are unknown', async () => {
    expect(await holdEachTopic()).to.deep.equal(['webhooks', 'accounts', 'replays']);
  });

  it('fence no topic of a new account', async () => {
    await hold();
    expect(await holdEachTopic()).to.deep.equal([]);
  });

  it('fence each topic once after a lease of an earlier version', async () => {
    await documents().insertOne({ _id: name, holder: 'earlier', until: new Date(1) });
    expect(await holdEachTopic()).to.deep.equal(['webhooks', 'accounts', 'replays']);
  });

  it('show their holder that another process has taken over', async () => {
    const { isOwn } = await hold(async () => {
      await expire();
      await createLeases(mongo.database).hold({ ...request, isNew: true }, () => Promise.resolve());
    });
    expect(isOwn).to.equal(false);
  });

  it('still belong to their holder if they have expired and no process has taken over', async () => {
    const { isOwn } = await hold(expire);
    expect(isOwn).to.equal(true);
  });

  it('do not depend on the wall clock of the process', async () => {
    const now = Date.now;
    let fresh: readonly boolean[] = [];
    await hold(({ isFresh }) => {
      const ahead = new Date('2100-01-01').getTime();
      try {
        Date.now = () => ahead;
        fresh = [isFresh()];
        Date.now = () => 0;
        fresh = [...fresh, isFresh()];
      } finally {
        Date.now = now;
      }
      return Promise.resolve();
    });
    expect(fresh).to.deep.equal([true, true]);
  });

  it('end for their holder a second before they expire', async () => {
    const startedAt = performance.now();
    let [end, heldAt] = [0, 0];
    await hold(({ deadline }) => {
      [end, heldAt] = [deadline, performance.now()];
      return Promise.resolve();
    });
    // The lease began after the request, and before the work.
    expect(end).to.be.within(startedAt + 9000, heldAt + 9000);
  });
});
