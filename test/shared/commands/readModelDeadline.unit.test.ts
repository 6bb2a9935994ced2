import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { createCommandRunner, type Command } from '../../../shared/commands/commandRunner.js';
import { encodeFence } from '../../../shared/log/records/fence.js';
import type { ModelProgress } from '../../../shared/store/models/modelProgress.js';

const readModelMs = 5000;

interface Delays {
  readonly readableAfterMs: number;
  readonly brokersAnswerAfterMs?: number;
  readonly earlier?: number;
}

/**
 * A command in a runner whose read model contains each record of the log after some time.
 * @param limits gets the limit of each wait for the read model
 */
function commandWith(
  { readableAfterMs, brokersAnswerAfterMs = 0, earlier = 0 }: Delays,
  limits: number[] = [],
) {
  const at = new Date(0);
  const place = { accountId: 'acct_1', tenant: null, number: 1, topic: 'accounts', partition: 0 } as const;
  const record = encodeFence({ ...place, id: 'rec_1', at });
  const reached: ModelProgress['reached'] = (_topic, offsets, timeoutMs) => {
    limits.push(timeoutMs);
    return Promise.resolve(offsets.get(0) === 0 || readableAfterMs <= timeoutMs);
  };
  const append = () => Promise.resolve({ topic: 'accounts' as const, partition: 0, offset: earlier });
  const runner = createCommandRunner({
    log: { append, appendTogether: append },
    offsets: { ends: () => pause(brokersAnswerAfterMs, [earlier]) },
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
  const command: Command<string> = {
    ...{ accountId: 'acct_1', topic: 'accounts' },
    decide: () => Promise.resolve({ records: [record], result: 'done' }),
  };
  return { runner, command };
}

describe('the wait of a command for the read model', () => {
  it('ends with an error at its deadline, after the change was made', async () => {
    const inTime = commandWith({ readableAfterMs: 4900 });
    expect(await inTime.runner.run(inTime.command)).to.equal('done');
    const late = commandWith({ readableAfterMs: 5100 });
    expect(await late.runner.run(late.command).catch(String)).to.equal(
      'UnavailableError: the change was made, but the read model does not contain it yet',
    );
  });

  it('ends with an error at its deadline, before the change was made', async () => {
    const { runner, command } = commandWith({ readableAfterMs: 5100, earlier: 1 });
    expect(await runner.run(command).catch(String)).to.equal(
      'UnavailableError: the read model does not contain earlier changes yet; the change was not made',
    );
  });

  it('does not delay the result of an append, nor the decision to create an account', async () => {
    const { runner, command } = commandWith({ readableAfterMs: 5100, earlier: 1 });
    const { result, isReadable } = await runner.append({ ...command, createsAccount: true });
    expect([result, await isReadable(5000), await isReadable(5200)]).to.deep.equal(['done', false, true]);
  });

  it('is not preceded by a longer wait: the brokers and the read model share a deadline', async () => {
    const limits: number[] = [];
    const { runner, command } = commandWith({ readableAfterMs: 0, brokersAnswerAfterMs: 100 }, limits);
    await runner.run(command);

    // A timer may fire a millisecond early.
    expect([limits.length, (limits[0] ?? 0) <= 4901]).to.deep.equal([2, true]);
  });
});
