import { expect } from 'chai';
import fc from 'fast-check';

import type { Allowance, Count } from '../../../../shared/store/redis/counters.js';
import { createQuotaPrefetch, type QuotaPrefetch } from '../../../../shared/store/redis/quotaPrefetch.js';
import { itHolds } from '../../../support/itHolds.js';

const windowMs = 1000;

/** The counter that all processes share, with the behavior of Redis and a manual clock. */
function createSharedWindow() {
  const questions: number[] = [];
  let time = 0;
  let endsAt = 0;
  let consumed = 0;
  let isAway = false;
  let underWay: (() => void)[] = [];

  const answer = (limit: number, requests: number): Count => {
    if (time >= endsAt) {
      endsAt = time + windowMs;
      consumed = 0;
    }
    consumed += requests;
    return {
      allowed: consumed <= limit,
      counted: Math.max(0, Math.min(requests, limit - (consumed - requests))),
      remaining: Math.max(0, limit - consumed),
      millisecondsLeft: endsAt - time,
      isRemembered: false,
    };
  };

  return {
    questions,
    createProcess: (): QuotaPrefetch =>
      createQuotaPrefetch({
        now: () => time,
        ask: async (_key, limit, requests) => {
          questions.push(requests);
          await new Promise<void>((resolve) => underWay.push(resolve));
          return isAway ? null : answer(limit, requests);
        },
      }),
    /** Lets the commands in flight arrive. */
    serve: async () => {
      const arriving = underWay;
      underWay = [];
      arriving.forEach((resolve) => resolve());
      await new Promise((resolve) => setImmediate(resolve));
    },
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    leave: () => {
      isAway = true;
    },
  };
}

type SharedWindow = ReturnType<typeof createSharedWindow>;

/** Answers commands until none is left. */
async function answered(
  window: SharedWindow,
  counts: readonly Promise<Allowance | null>[],
): Promise<readonly (Allowance | null)[]> {
  const progress = { isOver: false };
  const all = Promise.all(counts).finally(() => {
    progress.isOver = true;
  });
  while (!progress.isOver) {
    await window.serve();
  }
  return all;
}

function times<Result>(count: number, work: () => Result): Result[] {
  return Array.from({ length: count }, work);
}

async function inTurn(window: SharedWindow, count: number, process: QuotaPrefetch, limit: number) {
  const counts: (Allowance | null)[] = [];
  for (let done = 0; done < count; done += 1) {
    counts.push(...(await answered(window, [process.count('key', limit)])));
  }
  return counts;
}

function allowedOf(counts: readonly (Allowance | null)[]): number {
  return counts.filter((count) => count?.allowed === true).length;
}

describe('The quota prefetch', () => {
  let window: SharedWindow;
  let process: QuotaPrefetch;
  beforeEach(() => {
    window = createSharedWindow();
    process = window.createProcess();
  });

  it('asks for twice as many with each command, up to a hundredth of the remaining limit', async () => {
    await inTurn(window, 60, process, 1000);
    expect(window.questions.slice(0, 6)).to.deep.equal([1, 2, 4, 8, 9, 9]);
  });

  it('asks for one at a time if the limit is small', async () => {
    await inTurn(window, 5, process, 10);
    expect(window.questions).to.deep.equal([1, 1, 1, 1, 1]);
  });

  it('serves all waiting requests with the next command', async () => {
    await answered(
      window,
      times(50, () => process.count('key', 1000)),
    );
    expect(window.questions).to.deep.equal([1, 49]);
  });

  it('asks for no more than the remaining limit', async () => {
    await answered(
      window,
      times(50, () => process.count('key', 10)),
    );
    expect(window.questions).to.deep.equal([1, 9, 1]);
  });

  it('charges no more than what is left', async () => {
    await inTurn(window, 4, process, 10);
    const [state] = await answered(window, [process.charge('key', 10, 49)]);
    const [next] = await inTurn(window, 1, process, 10);
    expect([state, next?.allowed, window.questions.slice(4)]).to.deep.equal([
      { allowed: true, remaining: 0, millisecondsLeft: windowMs },
      false,
      [6, 1],
    ]);
  });

  it('charges prefetched quota first', async () => {
    await inTurn(window, 2, process, 1000);
    const [state] = await answered(window, [process.charge('key', 1000, 5)]);
    expect([state?.remaining, window.questions]).to.deep.equal([993, [1, 2, 4]]);
  });

  itHolds(
    'counts each request and each charge once, in any order and on two processes',
    [fc.array(fc.nat(30), { maxLength: 20 })],
    async (charges) => {
      const shared = createSharedWindow();
      const processes = [shared.createProcess(), shared.createProcess()] as const;
      const limit = 300;
      const states = await answered(
        shared,
        charges.map((requests, at) => {
          const one = processes[at % 2 === 0 ? 0 : 1];
          return requests === 0 ? one.count('key', limit) : one.charge('key', limit, requests);
        }),
      );
      const [last] = await answered(shared, [processes[0].count('key', limit)]);
      const used = charges.reduce((sum, requests) => sum + Math.max(1, requests), 0);
      const unused = processes[1].unused('key', limit);
      expect([
        states.every((state) => state !== null),
        (last?.remaining ?? 0) + unused + Math.min(used + 1, limit),
      ]).to.deep.equal([true, limit]);
    },
  );

  it('restarts with the next window', async () => {
    await inTurn(window, 20, process, 1000);
    window.pass(windowMs);
    window.questions.length = 0;
    await inTurn(window, 4, process, 1000);
    expect(window.questions).to.deep.equal([1, 2, 4]);
  });

  it('uses no quota of an expired window', async () => {
    await inTurn(window, 2, process, 1000);
    window.pass(windowMs);
    expect(process.unused('key', 1000)).to.equal(0);
  });

  it('starts a window at the time of the command, not of its answer', async () => {
    await inTurn(window, 1, process, 1000);
    const second = process.count('key', 1000);
    window.pass(windowMs - 1);
    await answered(window, [second]);
    expect(process.unused('key', 1000)).to.equal(0);
  });

  it('reports the remaining limit, including prefetched quota', async () => {
    const counts = await inTurn(window, 20, process, 1000);
    expect(counts.map((count) => count?.remaining)).to.deep.equal(
      Array.from({ length: 20 }, (_, index) => 999 - index),
    );
  });

  it('uses the part of the limit that a rejected command got', async () => {
    const first = await inTurn(window, 300, process, 1000);
    const other = window.createProcess();
    const second = await answered(
      window,
      times(750, () => other.count('key', 1000)),
    );
    const third = await inTurn(window, 20, process, 1000);
    expect(allowedOf([...first, ...second, ...third])).to.equal(1000);
  });

  it('returns null to all waiting requests if no counter is available', async () => {
    window.leave();
    const counts = await answered(
      window,
      times(3, () => process.count('key', 1000)),
    );
    expect(counts).to.deep.equal([null, null, null]);
  });

  it('asks again if the last command has failed', async () => {
    let isBroken = true;
    const failing = createQuotaPrefetch({
      now: () => 0,
      ask: (_key, _limit, requests) =>
        isBroken
          ? Promise.reject(new Error('broken'))
          : Promise.resolve({
              allowed: true,
              counted: requests,
              remaining: 5,
              millisecondsLeft: windowMs,
              isRemembered: false,
            }),
    });
    await failing.count('key', 10).catch(() => undefined);
    isBroken = false;
    expect((await failing.count('key', 10))?.allowed).to.equal(true);
  });

  it('stores at most 10,000 quotas', async () => {
    await inTurn(window, 2, process, 1000);
    await answered(
      window,
      Array.from({ length: 10_000 }, (_, index) => process.count(`key ${index}`, 1000)),
    );
    expect(process.unused('key', 1000)).to.equal(0);
  });

  it('counts each limit of a key separately', async () => {
    await inTurn(window, 2, process, 1000);
    expect(process.unused('key', 2000)).to.equal(0);
  });

  itHolds(
    'never allows more than the limit in a window, and all of it to a single process',
    [
      fc.integer({ min: 1, max: 2000 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.record({ process: fc.nat(2), requests: fc.integer({ min: 1, max: 400 }) }), {
        maxLength: 12,
      }),
    ],
    async (limit, processCount, bursts) => {
      const shared = createSharedWindow();
      const processes = times(processCount, () => shared.createProcess());
      const counts = bursts.flatMap(({ process: which, requests }) => {
        const one = processes[which % processCount];
        return one === undefined ? [] : times(requests, () => one.count('key', limit));
      });
      const allowed = allowedOf(await answered(shared, counts));
      expect(allowed).to.be.at.most(limit);
      if (processCount === 1) {
        expect(allowed).to.equal(Math.min(limit, counts.length));
      }
    },
    { numRuns: 60 },
  );
});
