import { expect } from 'chai';

import { createCommandRunner } from '../../../shared/commands/commandRunner.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { encodeFence } from '../../../shared/log/records/fence.js';
import type { ModelProgress } from '../../../shared/store/models/modelProgress.js';

/** Runs a command whose change the read model contains after some time, and returns the result or the error. */
async function runWith(readableAfterMs: number, readModelMs: number): Promise<unknown> {
  const at = new Date(0);
  const place = { accountId: 'acct_1', tenant: null, number: 1, topic: 'accounts', partition: 0 } as const;
  const record = encodeFence({ ...place, id: 'rec_1', at });
  const reached: ModelProgress['reached'] = (_topic, offsets, timeoutMs) =>
    Promise.resolve(offsets.get(0) === 0 || readableAfterMs <= timeoutMs);
  const append = () => Promise.resolve({ topic: 'accounts' as const, partition: 0, offset: 0 });
  const runner = createCommandRunner({
    log: { append, appendTogether: append },
    offsets: { ends: () => Promise.resolve([0]) },
    leases: {
      hold: async (_request, work) => ({
        result: await work({ number: 1, deadline: Infinity, isFresh: () => true }),
        isOwn: true,
      }),
    },
    progress: { accounts: { reached } },
    clock: () => at,
    readModelMs,
  });
  try {
    return await runner.run({
      ...{ accountId: 'acct_1', topic: 'accounts', createsAccount: true },
      decide: () => Promise.resolve({ records: [record], result: 'done' }),
    });
  } catch (error) {
    return error;
  }
}

describe('the wait of a command for its change', () => {
  it('ends with an error at its deadline', async () => {
    expect(await runWith(4900, 5000)).to.equal('done');
    expect(await runWith(5100, 5000)).to.be.instanceOf(UnavailableError);
  });
});
