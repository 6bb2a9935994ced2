import { expect } from 'chai';

import { waitWhileProgressing } from '../../../cli/start/firstAccount.js';

interface ReadModel {
  readonly readyAtMs: number;
  /** The number of records that the read model has read at a time; null while it is unavailable. */
  readonly readAt: (nowMs: number) => number | null;
}

/** Waits for a read model on a clock, and returns the result, the time of the end and the reported times. */
async function waitFor({ readyAtMs, readAt }: ReadModel, endAtMs = Infinity) {
  let nowMs = 0;
  const ending = new AbortController();
  const reported: number[] = [];
  const isReady = await waitWhileProgressing(
    {
      isReady: (timeoutMs) => {
        const answer = nowMs + timeoutMs >= readyAtMs;
        nowMs = answer ? Math.max(nowMs, readyAtMs) : nowMs + timeoutMs;
        return Promise.resolve(answer);
      },
      recordsRead: () => {
        const read = readAt(nowMs);
        return read === null ? Promise.reject(new Error('unavailable')) : Promise.resolve(read);
      },
      onWaiting: (waitedMs) => {
        reported.push(waitedMs);
        if (waitedMs >= endAtMs) {
          ending.abort();
        }
      },
      signal: ending.signal,
    },
    { intervalMs: 10, stallMs: 30, now: () => nowMs },
  );
  return { isReady, endedAtMs: nowMs, reported };
}

describe('the wait for a read model', () => {
  it('ends when the read model is ready', async () => {
    expect(await waitFor({ readyAtMs: 5, readAt: () => 0 })).to.deep.equal({
      ...{ isReady: true, endedAtMs: 5, reported: [] },
    });
  });

  it('has no limit while the read model makes progress', async () => {
    const { isReady, endedAtMs, reported } = await waitFor({ readyAtMs: 10_000, readAt: (nowMs) => nowMs });
    expect([isReady, endedAtMs, reported.slice(0, 3)]).to.deep.equal([true, 10_000, [10, 20, 30]]);
  });

  it('ends without the read model after a time without progress', async () => {
    const { isReady, endedAtMs } = await waitFor({
      readyAtMs: 10_000,
      readAt: (nowMs) => Math.min(nowMs, 100),
    });
    expect([isReady, endedAtMs]).to.deep.equal([false, 130]);
  });

  it('ends without the read model when it is no longer needed', async () => {
    const { isReady, endedAtMs } = await waitFor({ readyAtMs: 10_000, readAt: (nowMs) => nowMs }, 50);
    expect([isReady, endedAtMs]).to.deep.equal([false, 60]);
  });

  it('takes an unavailable read model for one without progress', async () => {
    expect(await waitFor({ readyAtMs: 10_000, readAt: () => null })).to.include({
      ...{ isReady: false, endedAtMs: 30 },
    });
  });
});
