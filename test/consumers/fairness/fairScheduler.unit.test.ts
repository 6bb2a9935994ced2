import { expect } from 'chai';
import fc from 'fast-check';

import {
  createFairScheduler,
  type Grant,
  type SchedulerSettings,
  type Ticket,
} from '../../../consumers/fairness/fairScheduler.js';
import { noTenant } from '../../../consumers/fairness/fairQueue.js';
import { mostInFlight, slotSettings } from '../../../consumers/fairness/slotPools.js';
import type { Claim } from '../../../consumers/fairness/webhookQueue.js';
import {
  attemptOrigins,
  latencyClasses,
  type AttemptOrigin,
  type LatencyClass,
} from '../../../consumers/latency/attemptClasses.js';
import { everyTenant } from '../../../shared/domain/tenants/tenantId.js';
import { createNaiveScheduler } from './naiveScheduler.js';
import { itHolds } from '../../support/itHolds.js';

type Step =
  | {
      readonly kind: 'join';
      readonly claim: Claim;
      readonly latencyClass: LatencyClass;
      readonly count: number;
    }
  | { readonly kind: 'leave' | 'release' | 'moveToSlow'; readonly index: number }
  | { readonly kind: 'reclassify'; readonly webhookId: string; readonly latencyClass: LatencyClass };

/** The owner of any webhook: a webhook without a tenant, with one of two tenants, or of every tenant. */
const anyWebhook = fc
  .record({
    account: fc.nat(4),
    tenant: fc.constantFrom(noTenant, noTenant, 'acme', 'globex', everyTenant),
    webhook: fc.nat(3),
  })
  .map(({ account, tenant, webhook }) => ({
    accountId: `acct_${account}`,
    tenant,
    webhookId: `wh_${account}_${tenant}_${webhook}`,
  }));
const anyClass = fc.constantFrom(...latencyClasses);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({
        of: anyWebhook,
        origin: fc.constantFrom(...attemptOrigins),
        latencyClass: anyClass,
        count: fc.integer({ min: 1, max: 8 }),
      })
      .map(({ of, origin, latencyClass, count }) => ({
        kind: 'join' as const,
        claim: { ...of, origin },
        latencyClass,
        count,
      })),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('release' as const, 'leave' as const, 'moveToSlow' as const),
      index: fc.nat(1000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ of: anyWebhook, latencyClass: anyClass })
      .map(({ of: { webhookId }, latencyClass }) => ({
        kind: 'reclassify' as const,
        ...{ webhookId, latencyClass },
      })),
  },
);
/** Long sequences: by default fast-check seldom makes more than ten steps, which fill no slots. */
const anySteps = fc.array(anyStep, { maxLength: 80, size: 'max' });
const anySettings: fc.Arbitrary<SchedulerSettings> = fc.record({
  webhookConcurrency: fc.integer({ min: 1, max: 6 }),
  slots: fc.integer({ min: 4, max: 80 }).map(slotSettings),
});

/** A scheduler, with the numbers of the items that have a slot and of those that wait. */
function running(settings: SchedulerSettings) {
  const scheduler = createFairScheduler<number>(settings);
  const grants: Grant<number>[] = [];
  const tickets = new Map<number, Ticket<number>>();
  const begun: number[] = [];
  let joined = 0;
  const serve = () => {
    for (let grant = scheduler.next(); grant !== null; grant = scheduler.next()) {
      tickets.delete(grant.item);
      grants.push(grant);
      begun.push(grant.item);
    }
  };
  const release = (index: number) => {
    const [grant] = grants.splice(index % Math.max(1, grants.length), 1);
    if (grant !== undefined) {
      scheduler.release(grant);
      serve();
    }
  };
  const join = (claim: Claim, latencyClass: LatencyClass, count = 1) => {
    scheduler.reclassify(claim.webhookId, latencyClass);
    for (let index = 0; index < count; index += 1) {
      tickets.set(joined, scheduler.join(claim, latencyClass, joined));
      joined += 1;
    }
    serve();
  };
  return { scheduler, grants, tickets, begun, join, release, serve, joined: () => joined };
}

type Running = ReturnType<typeof running>;

/** Runs the same operations on the scheduler and on the naive one. */
function takeBoth(step: Step, real: Running, naive: ReturnType<typeof createNaiveScheduler>) {
  switch (step.kind) {
    case 'join':
      naive.join(step.claim, step.latencyClass, step.count);
      real.join(step.claim, step.latencyClass, step.count);
      return;
    case 'reclassify':
      naive.reclassify(step.webhookId, step.latencyClass);
      real.scheduler.reclassify(step.webhookId, step.latencyClass);
      real.serve();
      return;
    case 'leave': {
      const [item, ticket] = [...real.tickets][step.index % Math.max(1, real.tickets.size)] ?? [];
      if (item !== undefined && ticket !== undefined) {
        naive.leave(item);
        real.scheduler.leave(ticket);
        real.tickets.delete(item);
        real.serve();
      }
      return;
    }
    case 'moveToSlow': {
      const grant = real.grants[step.index % Math.max(1, real.grants.length)];
      if (grant !== undefined) {
        naive.moveToSlow(grant.item);
        real.scheduler.moveToSlow(grant);
        real.serve();
      }
      return;
    }
    case 'release': {
      const grant = real.grants[step.index % Math.max(1, real.grants.length)];
      if (grant !== undefined) {
        naive.release(grant.item);
        real.release(step.index);
      }
      return;
    }
    default: {
      const never: never = step;
      return never;
    }
  }
}

const claimOf = (account: string, webhook: string, origin: AttemptOrigin = 'first'): Claim => ({
  ...{ accountId: account, tenant: noTenant, webhookId: webhook, origin },
});

const claimOfTenant = (tenant: string, webhook: string, account = 'platform'): Claim => ({
  ...{ accountId: account, tenant, webhookId: webhook, origin: 'first' },
});

describe('the fair scheduler', () => {
  itHolds(
    'serves the same attempts in the same order as a naive scheduler, in any sequence of operations',
    [anySettings, anySteps],
    (settings, steps) => {
      const real = running(settings);
      const naive = createNaiveScheduler(settings);
      for (const step of steps) {
        takeBoth(step, real, naive);

        expect(real.begun).to.deep.equal(naive.begun);
      }
    },
    { numRuns: 100 },
  );

  itHolds('serves every attempt eventually', [anySettings, anySteps], (settings, steps) => {
    const real = running(settings);
    for (const step of steps) {
      if (step.kind === 'join') {
        real.join(step.claim, step.latencyClass, step.count);
      }
    }
    while (real.grants.length > 0) {
      real.release(0);
    }

    expect(real.begun.length).to.equal(real.joined());
  });

  itHolds(
    'never exceeds the limits of a webhook and of the process',
    [anySettings, anySteps],
    (settings, steps) => {
      const real = running(settings);
      const naive = createNaiveScheduler(settings);
      for (const step of steps) {
        takeBoth(step, real, naive);
        const ofWebhook = ({ queue }: Grant<number>) =>
          real.grants.filter((grant) => grant.queue.webhookId === queue.webhookId).length;

        expect(Math.max(0, ...real.grants.map(ofWebhook))).to.be.at.most(settings.webhookConcurrency);
        expect(real.grants.length).to.be.at.most(mostInFlight(settings.slots));
      }
    },
  );

  it('has a slot for a fast webhook, no matter how many slow and unknown webhooks hang', () => {
    const { begun, join } = running({ webhookConcurrency: 25, slots: slotSettings(1000) });
    for (let account = 0; account < 1500; account += 1) {
      join(claimOf(`a${account}`, `slow ${account}`), 'slow', 5);
      join(claimOf(`b${account}`, `unknown ${account}`), 'unknown', 5);
    }
    const before = begun.length;
    join(claimOf('healthy', 'healthy'), 'fast');

    expect(begun.length).to.equal(before + 1);
  });

  for (const latencyClass of latencyClasses) {
    it(`has slots for first attempts of class ${latencyClass}, no matter how many retries and replays hang`, () => {
      const { begun, join } = running({ webhookConcurrency: 25, slots: slotSettings(1000) });
      for (let account = 0; account < 1500; account += 1) {
        join(claimOf(`a${account}`, `retried ${account}`, 'retry'), latencyClass, 5);
        join(claimOf(`b${account}`, `replayed ${account}`, 'replay'), latencyClass, 5);
      }
      const before = begun.length;
      join(claimOf('new', 'new'), latencyClass);

      expect(begun.length).to.equal(before + 1);
    });
  }

  it('has a slot for another account with a slow webhook, no matter how many webhooks of one account hang', () => {
    const { begun, join } = running({ webhookConcurrency: 25, slots: slotSettings(1000) });
    for (let webhook = 0; webhook < 500; webhook += 1) {
      join(claimOf('hanging', `slow ${webhook}`), 'slow', 25);
    }
    const before = begun.length;
    join(claimOf('other', 'slow'), 'slow');

    expect(begun.length).to.equal(before + 1);
  });

  it('serves two accounts equally, no matter how many webhooks each has', () => {
    const { begun, join, release } = running({ webhookConcurrency: 1, slots: slotSettings(4) });
    const many = Array.from({ length: 10 }, (_, webhook) => `many ${webhook}`);
    many.forEach((webhook) => join(claimOf('a', webhook), 'unknown'));
    join(claimOf('b', 'single'), 'unknown', 3);
    Array.from({ length: 6 }, () => release(0));

    // Items 0 to 9 are of the first account.
    expect(begun.slice(0, 7).map((item) => (item < 10 ? 'a' : 'b'))).to.deep.equal([
      ...['a', 'b', 'a', 'b', 'a', 'b', 'a'],
    ]);
  });

  it('serves two tenants of an account equally, no matter how many webhooks each has', () => {
    const { begun, join, release } = running({ webhookConcurrency: 1, slots: slotSettings(4) });
    const many = Array.from({ length: 10 }, (_, webhook) => `many ${webhook}`);
    many.forEach((webhook) => join(claimOfTenant('a', webhook), 'unknown'));
    join(claimOfTenant('b', 'single'), 'unknown', 3);
    Array.from({ length: 6 }, () => release(0));

    // Items 0 to 9 are of the first tenant.
    expect(begun.slice(0, 7).map((item) => (item < 10 ? 'a' : 'b'))).to.deep.equal([
      ...['a', 'b', 'a', 'b', 'a', 'b', 'a'],
    ]);
  });

  it('serves an account with many tenants as often as an account without tenants', () => {
    const { begun, join, release } = running({ webhookConcurrency: 1, slots: slotSettings(4) });
    join(claimOf('single', 'single'), 'unknown', 4);
    Array.from({ length: 10 }, (_, tenant) => join(claimOfTenant(`t${tenant}`, `w${tenant}`), 'unknown'));
    Array.from({ length: 6 }, () => release(0));

    // Items 0 to 3 are of the account without tenants.
    expect(begun.slice(0, 7).map((item) => (item < 4 ? 'single' : 'platform'))).to.deep.equal([
      ...['single', 'platform', 'single', 'platform', 'single', 'platform', 'single'],
    ]);
  });

  for (const latencyClass of latencyClasses) {
    it(`has slots of class ${latencyClass} for another tenant and another account, no matter how many webhooks of one tenant hang`, () => {
      const { begun, join } = running({ webhookConcurrency: 25, slots: slotSettings(1000) });
      for (let webhook = 0; webhook < 100; webhook += 1) {
        join(claimOfTenant('hanging', `hangs ${webhook}`), latencyClass, 25);
      }
      const before = begun.length;
      join(claimOfTenant('other', 'other'), latencyClass, 10);
      join(claimOf('elsewhere', 'elsewhere'), latencyClass, 10);

      expect(begun.length).to.equal(before + 20);
    });
  }

  it('gives a tenant a third of the slots, and the next one a third of the rest of its account', () => {
    const slots = { ...slotSettings(1000), slow: { slots: 1000, slowExchanges: 0 } };
    const { begun, join } = running({ webhookConcurrency: 25, slots });
    // A quarter of the 1,000 slots is reserved for retries and replays.
    const taken = ['first', 'second'].map((tenant) => {
      const before = begun.length;
      for (let webhook = 0; webhook < 100; webhook += 1) {
        join(claimOfTenant(tenant, `${tenant} ${webhook}`), 'slow', 25);
      }
      return begun.length - before;
    });

    expect(taken).to.deep.equal([250, 84]);
  });

  it('gives webhooks without a tenant the slots that it gives an account without tenants', () => {
    const takenBy = (tenants: readonly string[]) => {
      const { begun, join } = running({ webhookConcurrency: 25, slots: slotSettings(1000) });
      tenants.forEach((tenant) => join(claimOfTenant(tenant, tenant), 'slow', 1000));
      const before = begun.length;
      for (let webhook = 0; webhook < 100; webhook += 1) {
        join(claimOf('platform', `hangs ${webhook}`), 'slow', 25);
      }
      return begun.length - before;
    };

    // Both leave as many slots as they have, of which the tenant has 25.
    expect([takenBy([]), takenBy(['acme'])]).to.deep.equal([282, 257]);
  });

  it('serves webhooks without a tenant while the tenants of their account have their share', () => {
    const { begun, join } = running({ webhookConcurrency: 1000, slots: slotSettings(1000) });
    join(claimOfTenant('acme', 'acme'), 'slow', 1000);
    join(claimOfTenant(noTenant, 'own'), 'slow', 1000);

    expect(begun.length).to.equal(282);
  });
});
