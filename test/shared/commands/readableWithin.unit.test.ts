import { expect } from 'chai';

import { createCommandRunner } from '../../../shared/commands/commandRunner.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { encodeFence } from '../../../shared/log/records/fence.js';
import type { ModelProgress } from '../../../shared/store/models/modelProgress.js';

/** Runs a command whose change the read model contains after some time, and returns the result or the error. */
async function runWith(readableAfterMs: number, readableWithinMs?: number): Promise<unknown> {
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
    ...(readableWithinMs !== undefined && { readableWithinMs }),
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
  it('ends after 5 s with an error, because the caller waits for an answer', async () => {
    expect(await runWith(4900)).to.equal('done');
    expect(await runWith(5100)).to.be.instanceOf(UnavailableError);
  });

  it('is as long as a caller allows whose change would be useless otherwise', async () => {
    expect(await runWith(290_000, 300_000)).to.equal('done');
    expect(await runWith(310_000, 300_000)).to.be.instanceOf(UnavailableError);
  });
});
