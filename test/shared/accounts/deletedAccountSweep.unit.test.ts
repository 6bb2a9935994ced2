import { expect } from 'chai';

import { createDeletedAccountSweep } from '../../../shared/accounts/deletedAccounts.js';
import { eventually } from '../../support/eventually.js';

const logger = { warn: () => undefined };

interface Clock {
  now: number;
}

/** A sweep over two accounts, and a clock that the sweep may advance. */
function running(sweep: (accountId: string, call: number, clock: Clock) => boolean, isOurs = () => true) {
  const calls: string[] = [];
  const clock: Clock = { now: 0 };
  const created = createDeletedAccountSweep({
    deleted: { ids: () => Promise.resolve(new Set(['acct_1', 'acct_2'])) },
    sweep: (accountId) =>
      new Promise((resolve) => {
        calls.push(accountId);
        resolve(sweep(accountId, calls.length, clock));
      }),
    isOurs,
    logger,
    now: () => clock.now,
    restMs: 1,
  });
  created.start();
  const passes = (count: number) =>
    eventually(`${count} calls`, () => (calls.length >= count ? calls.slice(0, count) : null));
  return { calls, passes, stop: created.stop };
}

describe('createDeletedAccountSweep', () => {
  it('sweeps every deleted account repeatedly', async () => {
    const { passes, stop } = running(() => false);
    const calls = await passes(4);
    await stop();
    expect(calls).to.deep.equal(['acct_1', 'acct_2', 'acct_1', 'acct_2']);
  });

  it('continues after a failure', async () => {
    const { passes, stop } = running((_accountId, call) => {
      if (call === 1) {
        throw new Error('away');
      }
      return false;
    });
    const calls = await passes(3);
    await stop();
    expect(calls).to.deep.equal(['acct_1', 'acct_1', 'acct_2']);
  });

  it('stops sweeping an account that is settled', async () => {
    const { calls, passes, stop } = running((accountId, call, clock) => {
      clock.now = call < 2 ? 0 : 60_000;
      return accountId === 'acct_1';
    });
    await passes(6);
    await stop();
    expect(calls.filter((accountId) => accountId === 'acct_2').length).to.equal(2);
  });

  it('ignores accounts of other processes', async () => {
    let asked = 0;
    const isOurs = () => {
      asked += 1;
      return false;
    };
    const { calls, stop } = running(() => false, isOurs);
    await eventually('two passes', () => (asked >= 4 ? true : null));
    await stop();
    expect(calls).to.deep.equal([]);
  });
});
