import { expect } from 'chai';
import fc from 'fast-check';

import { createFairShares, type Line, type ShareSettings } from '../../../consumers/delivery/fairShares.js';

interface Pair {
  readonly accountId: string;
  readonly webhookId: string;
}

/** Turns, with what is in flight and in which order it began. */
function sharesOf(settings: ShareSettings) {
  const shares = createFairShares<Pair>(settings);
  const lines = new Map<Pair, Line<Pair>>();
  const inFlight: Pair[] = [];
  const begun: Pair[] = [];
  const serve = () => {
    for (let next = shares.next(); next !== null; next = shares.next()) {
      inFlight.push(next);
      begun.push(next);
    }
  };
  return {
    shares,
    inFlight,
    begun,
    join: (accountId: string, webhookId: string, count = 1) => {
      Array.from({ length: count }, () => {
        const pair = { accountId, webhookId };
        lines.set(pair, shares.join(accountId, webhookId, pair));
      });
      serve();
    },
    /** Ends one of those in flight. */
    end: (index: number) => {
      const [pair] = inFlight.splice(index % Math.max(1, inFlight.length), 1);
      const line = pair === undefined ? undefined : lines.get(pair);
      if (line !== undefined) {
        shares.release(line);
        serve();
      }
    },
  };
}

type Step =
  | { readonly kind: 'join'; readonly account: number; readonly webhook: number; readonly count: number }
  | { readonly kind: 'end'; readonly index: number };

const anyJoin: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('join' as const),
  account: fc.nat(5),
  webhook: fc.nat(3),
  count: fc.integer({ min: 1, max: 30 }),
});
const anyEnd: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('end' as const), index: fc.nat(1000) });
const anySteps = fc.array(fc.oneof(anyJoin, anyEnd), { maxLength: 60 });
const anySettings = fc.record({
  webhookConcurrency: fc.integer({ min: 1, max: 8 }),
  maximumInFlight: fc.integer({ min: 1, max: 40 }),
});

function take(step: Step, { join, end }: ReturnType<typeof sharesOf>) {
  if (step.kind === 'join') {
    join(`account ${step.account}`, `webhook ${step.account}/${step.webhook}`, step.count);
  } else {
    end(step.index);
  }
}

function countBy(pairs: readonly Pair[], name: keyof Pair): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const pair of pairs) {
    counts.set(pair[name], (counts.get(pair[name]) ?? 0) + 1);
  }
  return counts;
}

describe('fair shares', () => {
  it('go round the accounts, however many webhooks one of them has', () => {
    const { begun, join, end } = sharesOf({ webhookConcurrency: 1, maximumInFlight: 1 });
    join('a', 'a1');
    join('a', 'a2');
    join('a', 'a3');
    join('b', 'b1', 2);
    Array.from({ length: 4 }, () => end(0));

    expect(begun.map(({ webhookId }) => webhookId)).to.deep.equal(['a1', 'a2', 'b1', 'a3', 'b1']);
  });

  it('go round the webhooks of an account, however many pairs wait for one of them', () => {
    const { begun, join, end } = sharesOf({ webhookConcurrency: 1, maximumInFlight: 1 });
    join('a', 'a1', 3);
    join('a', 'a2', 2);
    Array.from({ length: 4 }, () => end(0));

    expect(begun.map(({ webhookId }) => webhookId)).to.deep.equal(['a1', 'a2', 'a1', 'a2', 'a1']);
  });

  it('never give a webhook, or all of them, more than they may have', () => {
    fc.assert(
      fc.property(anySettings, anySteps, (settings, steps) => {
        const all = sharesOf(settings);
        for (const step of steps) {
          take(step, all);
          const most = Math.max(0, ...countBy(all.inFlight, 'webhookId').values());

          expect([
            most <= settings.webhookConcurrency,
            all.inFlight.length <= settings.maximumInFlight,
          ]).to.deep.equal([true, true]);
        }
      }),
    );
  });

  it('let a new account begin before any other one has had two turns', () => {
    fc.assert(
      fc.property(anySettings, anySteps, fc.array(fc.nat(1000)), (settings, steps, ends) => {
        const all = sharesOf(settings);
        steps.forEach((step) => take(step, all));
        const before = all.begun.length;
        all.join('new', 'new webhook');
        ends.forEach((index) => all.end(index));
        const since = all.begun.slice(before);
        const own = since.findIndex(({ accountId }) => accountId === 'new');
        const others = countBy(own === -1 ? since : since.slice(0, own), 'accountId');

        expect(Math.max(0, ...others.values())).to.be.at.most(1);
      }),
    );
  });

  it('give all of those who wait their turn in the end', () => {
    fc.assert(
      fc.property(anySettings, anySteps, (settings, steps) => {
        const all = sharesOf(settings);
        steps.forEach((step) => take(step, all));
        while (all.inFlight.length > 0) {
          all.end(0);
        }
        const joined = steps.reduce((sum, step) => sum + (step.kind === 'join' ? step.count : 0), 0);

        expect(all.begun.length).to.equal(joined);
      }),
    );
  });

  // Those who hang first share out all that there is. Once these have run into their time limit, they do no more.
  it('leave a slot for the next account, however many hang', () => {
    const { begun, join, end } = sharesOf({ webhookConcurrency: 25, maximumInFlight: 1000 });
    Array.from({ length: 200 }, (_, hanging) => join(`a${hanging}`, `w${hanging}`, 100));
    Array.from({ length: 1000 }, () => end(0));
    join('healthy', 'healthy', 1);

    expect(begun.at(-1)?.accountId).to.equal('healthy');
  });

  it('leave a slot for the next webhook of an account all of whose others hang', () => {
    const { begun, join, end } = sharesOf({ webhookConcurrency: 25, maximumInFlight: 1000 });
    Array.from({ length: 99 }, (_, hanging) => join('a', `w${hanging}`, 100));
    Array.from({ length: 1000 }, () => end(0));
    join('a', 'healthy', 1);

    expect(begun.at(-1)?.webhookId).to.equal('healthy');
  });

  it('give a webhook all of its slots where nobody else needs them', () => {
    const { inFlight, join } = sharesOf({ webhookConcurrency: 25, maximumInFlight: 1000 });
    Array.from({ length: 30 }, (_, busy) => join(`a${busy}`, `w${busy}`, 100));

    expect([...countBy(inFlight, 'webhookId').values()]).to.deep.equal(Array.from({ length: 30 }, () => 25));
  });

  it('do not search long among a thousand webhooks that wait', () => {
    const { begun, join, end } = sharesOf({ webhookConcurrency: 25, maximumInFlight: 1000 });
    Array.from({ length: 1000 }, (_, webhook) => join(`a${webhook % 50}`, `w${webhook}`, 12));
    const start = performance.now();
    while (begun.length < 12_000) {
      end(begun.length);
    }

    expect((performance.now() - start) / 12_000).to.be.below(0.25);
  });
});
