import { expect } from 'chai';
import fc from 'fast-check';

import { createQuotaPrefetch, type QuotaPrefetch } from '../../../../shared/store/redis/quotaPrefetch.js';
import type { Allowance, Count } from '../../../../shared/store/redis/counters.js';

const windowMs = 1000;

/** What all processes count in, as Redis has it, with a clock that is turned by hand. */
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
    /** Lets the questions arrive that are under way. */
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

/** Serves questions until all are answered. */
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

describe('shared/redis/countingAhead', () => {
  let window: SharedWindow;
  let process: QuotaPrefetch;
  beforeEach(() => {
    window = createSharedWindow();
    process = window.createProcess();
  });

  it('asks for twice as many with each question, up to a hundredth of what is left', async () => {
    await inTurn(window, 60, process, 1000);
    expect(window.questions.slice(0, 6)).to.deep.equal([1, 2, 4, 8, 9, 9]);
  });

  it('asks for one at a time where the limit is small', async () => {
    await inTurn(window, 5, process, 10);
    expect(window.questions).to.deep.equal([1, 1, 1, 1, 1]);
  });

  it('serves all who wait with the next question', async () => {
    await answered(
      window,
      times(50, () => process.count('key', 1000)),
    );
    expect(window.questions).to.deep.equal([1, 49]);
  });

  it('asks for no more than what is left', async () => {
    await answered(
      window,
      times(50, () => process.count('key', 10)),
    );
    expect(window.questions).to.deep.equal([1, 9, 1]);
  });

  it('begins anew with the next window', async () => {
    await inTurn(window, 20, process, 1000);
    window.pass(windowMs);
    window.questions.length = 0;
    await inTurn(window, 4, process, 1000);
    expect(window.questions).to.deep.equal([1, 2, 4]);
  });

  it('uses nothing of a window that is over', async () => {
    await inTurn(window, 2, process, 1000);
    window.pass(windowMs);
    expect(process.unused('key', 1000)).to.equal(0);
  });

  it('takes a window to begin when it was asked about, not when the answer came', async () => {
    await inTurn(window, 1, process, 1000);
    const second = process.count('key', 1000);
    window.pass(windowMs - 1);
    await answered(window, [second]);
    expect(process.unused('key', 1000)).to.equal(0);
  });

  it('says what is left, with what is counted ahead', async () => {
    const counts = await inTurn(window, 20, process, 1000);
    expect(counts.map((count) => count?.remaining)).to.deep.equal(
      Array.from({ length: 20 }, (_, index) => 999 - index),
    );
  });

  it('uses what a refused question has got of the limit', async () => {
    const first = await inTurn(window, 300, process, 1000);
    const other = window.createProcess();
    const second = await answered(
      window,
      times(750, () => other.count('key', 1000)),
    );
    const third = await inTurn(window, 20, process, 1000);
    expect(allowedOf([...first, ...second, ...third])).to.equal(1000);
  });

  it('gives all who wait nothing where nothing counts', async () => {
    window.leave();
    const counts = await answered(
      window,
      times(3, () => process.count('key', 1000)),
    );
    expect(counts).to.deep.equal([null, null, null]);
  });

  it('asks again where the last question has failed', async () => {
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

  it('keeps no more than 10,000 lines', async () => {
    await inTurn(window, 2, process, 1000);
    await answered(
      window,
      Array.from({ length: 10_000 }, (_, index) => process.count(`key ${index}`, 1000)),
    );
    expect(process.unused('key', 1000)).to.equal(0);
  });

  it('counts each limit of a key by itself', async () => {
    await inTurn(window, 2, process, 1000);
    expect(process.unused('key', 2000)).to.equal(0);
  });

  it('never allows more than the limit in a window, and all of it to one process alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 2000 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.record({ process: fc.nat(2), requests: fc.integer({ min: 1, max: 400 }) }), {
          maxLength: 12,
        }),
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
      ),
      { numRuns: 60 },
    );
  });
});
