import { expect } from 'chai';

import { UnavailableError } from '../../../shared/core/errors.js';
import type { CallOwner, SandboxCall } from '../../../shared/sandbox/calls.js';
import { createSandbox } from '../../../shared/sandbox/sandbox.js';
import { createSandboxThread } from '../../../shared/sandbox/sandboxThread.js';
import { hostileCode, ordinaryCode, sandboxEvent } from './events.js';

function ownerOf(name: string): CallOwner {
  return { accountId: `acct_${name}`, tenantId: null, webhookId: `wh_${name}` };
}

function callOf(code: string): SandboxCall {
  return { code, event: sandboxEvent };
}

const timed = { result: { outcome: 'skipped' }, ms: 0.1 } as const;

describe('the sandbox of transformations', () => {
  it('fails the calls of hostile code, and serves the calls of other accounts meanwhile', async () => {
    let terminations = 0;
    const sandbox = createSandbox({
      onTermination: () => {
        terminations += 1;
      },
    });
    try {
      const neighbor = () => sandbox.run(ownerOf('neighbor'), callOf(ordinaryCode));
      // The first call runs in the careful thread. The second one starts the quick thread.
      expect(await neighbor()).to.have.property('outcome', 'returned');
      expect(await neighbor()).to.have.property('outcome', 'returned');
      let isOver = false;
      const hostile = Promise.all(
        Object.entries(hostileCode).map(async ([name, { code, failure }]) => {
          const result = await sandbox.run(ownerOf(name), callOf(code));
          expect(result, name).to.deep.include({ outcome: 'failed', failure });
        }),
      ).finally(() => {
        isOver = true;
      });
      const times: number[] = [];
      const serve = async () => {
        while (!isOver) {
          const startedAt = performance.now();
          expect(await neighbor()).to.have.property('outcome', 'returned');
          times.push(performance.now() - startedAt);
        }
      };
      await Promise.all([hostile, serve()]);
      expect(terminations).to.equal(2);
      // A wait for one hostile call that hangs would take a second.
      const sorted = times.toSorted((one, other) => one - other);
      expect(sorted.length).to.be.above(20);
      expect(sorted[Math.floor(sorted.length * 0.9)]).to.be.below(500);
    } finally {
      await sandbox.stop();
    }
  }).timeout(120_000);

  it('ends a thread that hangs in a native call, and replaces it', async () => {
    const thread = createSandboxThread({ isCareful: false, watchdogMs: 300 });
    try {
      const { code } = hostileCode['a native call that does not end'];
      expect(await thread.run(callOf('export default (event) => event;'))).to.have.property('result');
      const startedAt = performance.now();
      expect(await thread.run(callOf(code))).to.equal(null);
      expect(performance.now() - startedAt).to.be.below(10_000);
      expect(await thread.run(callOf(ordinaryCode))).to.have.nested.property('result.outcome', 'returned');
    } finally {
      await thread.stop();
    }
  }).timeout(120_000);

  it('starts another thread after a time without calls, and none after the stop', async () => {
    const thread = createSandboxThread({ isCareful: true, idleMs: 1 });
    expect(await thread.run(callOf(ordinaryCode))).to.have.property('result');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await thread.run(callOf(ordinaryCode))).to.have.property('result');
    await thread.stop();
    const error: unknown = await thread.run(callOf(ordinaryCode)).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(UnavailableError);
  });

  it('repeats a call that was not returned once, in the careful thread, before it blames the code', async () => {
    const runs: string[] = [];
    const lost = new Set<string>();
    const sandbox = createSandbox({
      createThread: ({ isCareful }) => ({
        run: ({ code }) => {
          const name = isCareful ? 'careful' : 'quick';
          runs.push(name);
          return Promise.resolve(lost.delete(`${name} ${code}`) ? null : timed);
        },
        stop: () => Promise.resolve(),
      }),
    });
    const owner = ownerOf('one');
    const run = () => sandbox.run(owner, { code: 'code', event: null });
    // Code without history runs in the careful thread first.
    expect(await run()).to.equal(timed.result);
    expect(await run()).to.equal(timed.result);
    expect(runs).to.deep.equal(['careful', 'quick']);
    lost.add('quick code');
    expect(await run()).to.equal(timed.result);
    expect(runs.slice(2)).to.deep.equal(['quick', 'careful']);
    // A webhook with a lost call has left the quick threads.
    expect(await run()).to.equal(timed.result);
    expect(runs.slice(4)).to.deep.equal(['careful']);
  });

  it('blames the code if the repeated call does not return either', async () => {
    let runs = 0;
    let now = 0;
    const sandbox = createSandbox({
      now: () => now,
      createThread: ({ isCareful }) => ({
        run: () => {
          runs += 1;
          return Promise.resolve(isCareful ? null : timed);
        },
        stop: () => Promise.resolve(),
      }),
    });
    const run = () => sandbox.run(ownerOf('one'), { code: 'code', event: null });
    expect(await run()).to.deep.equal({
      ...{ outcome: 'failed', failure: 'time', message: 'The code has not returned within a second.' },
    });
    expect(runs).to.equal(2);
    expect(await run()).to.have.property('failure', 'time');
    expect(runs).to.equal(4);
    // After ten minutes, the webhook may use the quick threads again.
    now += 600_000;
    expect(await run()).to.equal(timed.result);
  });

  it('moves webhooks with costly calls to the careful thread', async () => {
    const runs: string[] = [];
    let ms = 0.1;
    const sandbox = createSandbox({
      createThread: ({ isCareful }) => ({
        run: () => {
          runs.push(isCareful ? 'careful' : 'quick');
          return Promise.resolve({ result: timed.result, ms });
        },
        stop: () => Promise.resolve(),
      }),
    });
    const run = () => sandbox.run(ownerOf('one'), { code: 'code', event: null });
    await run();
    ms = 20;
    for (let call = 0; call < 5; call += 1) {
      await run();
    }
    expect(runs).to.deep.equal(['careful', 'quick', 'quick', 'careful', 'careful', 'careful']);
  });
});
