import { expect } from 'chai';

import { watchServers } from '../../../cli/start/watchServers.js';

const settings = { intervalMs: 0, shortestPauseMs: 0, longestPauseMs: 0 };

/** Watches a server that has ended and cannot be restarted at the first attempts, until the condition is met. */
async function watch(failures: number, isDone: (restarts: number, checks: number) => boolean) {
  const ending = new AbortController();
  const reported: string[] = [];
  let restarts = 0;
  let checks = 0;
  let isRunning = false;
  await watchServers(
    {
      ended: () => {
        checks += 1;
        if (isDone(restarts, checks)) {
          ending.abort();
        }
        return Promise.resolve(isRunning ? null : 'Kafka');
      },
      restart: () => {
        restarts += 1;
        isRunning = restarts > failures;
        return isRunning ? Promise.resolve() : Promise.reject(new Error('The port is taken.'));
      },
      report: (line) => reported.push(line),
    },
    ending.signal,
    settings,
  );
  return { restarts, reported };
}

describe('the watch of the local servers', () => {
  it('restarts a server that has ended, and leaves it alone then', async () => {
    expect(await watch(0, (_restarts, checks) => checks === 5)).to.deep.equal({
      restarts: 1,
      reported: ['Kafka ended. Starting it again …', 'Kafka runs again.'],
    });
  });

  it('repeats a restart that fails', async () => {
    const { restarts, reported } = await watch(2, (_restarts, checks) => checks === 5);
    expect([restarts, reported]).to.deep.equal([
      3,
      [
        'Kafka ended. Starting it again …',
        'The port is taken.\nThe next attempt follows in 0 s.',
        'Kafka ended. Starting it again …',
        'The port is taken.\nThe next attempt follows in 0 s.',
        'Kafka ended. Starting it again …',
        'Kafka runs again.',
      ],
    ]);
  });
});
