import { expect } from 'chai';
import fc from 'fast-check';

import { createTenantSemaphore } from '../../../consumers/fairness/tenantSemaphore.js';

/** A semaphore with a clock that only the test advances. Each entry has the name of its tenant and a number. */
function semaphoreOf(limit: number) {
  let time = 0;
  let entered = 0;
  const semaphore = createTenantSemaphore({ limit, otherSeenWithinMs: 60_000, now: () => time });
  const started: string[] = [];
  const ownerOf = (tenantId: string, accountId: string) => ({ accountId, tenantId });
  return {
    started,
    startedOf: (tenant: string) => started.filter((name) => name.startsWith(`${tenant} `)).length,
    /** Enters this number of entries, which are ordered by their arrival unless `since` says otherwise. */
    enter: (tenant: string, count = 1, { account = 'acct_1', since = 0 } = {}) => {
      for (let entry = 0; entry < count; entry += 1) {
        const name = `${tenant} ${entered}`;
        entered += 1;
        semaphore.enter(ownerOf(tenant, account), since, () => started.push(name));
      }
    },
    leave: (tenant: string, count = 1, account = 'acct_1') => {
      for (let entry = 0; entry < count; entry += 1) {
        semaphore.leave(ownerOf(tenant, account));
      }
    },
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

describe('the semaphore of the tenants of an account', () => {
  it('gives all places to the only tenant of an account', () => {
    const { started, enter } = semaphoreOf(10);
    enter('', 12);

    expect(started).to.have.lengthOf(10);
  });

  it('leaves half of the places to others if another tenant was seen', () => {
    const { startedOf, enter } = semaphoreOf(10);
    enter('quiet');
    enter('busy', 12);

    // One place is taken by the quiet tenant, and the busy one leaves as many as it has.
    expect([startedOf('busy'), startedOf('quiet')]).to.deep.equal([5, 1]);
  });

  it('gives all places to a tenant again a minute after another one was seen', () => {
    const { startedOf, enter, leave, pass } = semaphoreOf(10);
    enter('busy');
    enter('quiet');
    leave('quiet');
    pass(60_001);
    enter('busy', 12);

    expect(startedOf('busy')).to.equal(10);
  });

  it('starts an entry of another tenant at once during a backlog, and in another account', () => {
    const { started, enter } = semaphoreOf(10);
    enter('quiet');
    enter('busy', 100);
    enter('quiet');
    enter('', 1, { account: 'acct_2' });

    expect(started.slice(-2)).to.deep.equal(['quiet 101', ' 102']);
  });

  it('gives the next place to the tenant with the fewest entries, however long the other one waits', () => {
    const { started, enter, leave } = semaphoreOf(4);
    enter('busy', 8);
    enter('quiet', 2);
    // With one place left, the quiet tenant would have as many as it leaves.
    leave('busy', 3);

    expect(started.slice(4)).to.deep.equal(['quiet 8', 'quiet 9']);
  });

  it('starts the oldest entry of a tenant next', () => {
    const { started, enter, leave } = semaphoreOf(1);
    enter('busy');
    enter('busy', 1, { since: 3 });
    enter('busy', 1, { since: 2 });
    leave('busy');

    expect(started).to.deep.equal(['busy 0', 'busy 2']);
  });

  it('starts every entry eventually, and never exceeds the limit of an account', () => {
    const anyEntry = fc.record({
      tenant: fc.constantFrom('', 'a', 'b', 'c'),
      count: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(anyEntry, { maxLength: 12 }), (limit, entries) => {
        const { started, enter, leave } = semaphoreOf(limit);
        entries.forEach(({ tenant, count }) => enter(tenant, count));
        let left = 0;
        for (; left < started.length; left += 1) {
          expect(started.length - left).to.be.at.most(limit);
          leave(started[left]?.split(' ')[0] ?? '');
        }

        expect(left).to.equal(entries.reduce((sum, { count }) => sum + count, 0));
      }),
    );
  });

  it('starts the only event of a tenant behind 50,000 events of another one with the next place', () => {
    const { started, enter, leave } = semaphoreOf(1000);
    enter('busy', 50_000);
    enter('quiet');
    leave('busy');

    expect(started.at(-1)).to.equal('quiet 50000');
  });
});
