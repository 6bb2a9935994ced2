import { expect } from 'chai';

import { showOnce } from '../../../cli/accounts/showOnce.js';
import { CommandFailure } from '../../../cli/terminal/output.js';
import type { AppendingCommandRunner } from '../../../shared/commands/commandRunner.js';
import { UnavailableError, UnknownOutcomeError } from '../../../shared/core/errors.js';

/** Runs a command that creates a secret, and returns the shown secrets and the error. */
async function shownBy(append: AppendingCommandRunner['append']) {
  const shown: string[] = [];
  const outcome = await showOnce(
    { append },
    {
      command: {
        ...{ accountId: 'acct_1', topic: 'accounts' },
        decide: () => Promise.resolve({ records: [], result: 'secret' }),
      },
      show: (secret) => shown.push(secret),
      ifUnknown: 'Look at the list.',
    },
  ).catch((error: unknown) => error);
  return { shown, outcome };
}

describe('a secret that is shown once', () => {
  it('is shown when the log contains the change, before the read model does', async () => {
    const { shown, outcome } = await shownBy(async ({ decide }) => ({
      ...(await decide()),
      isReadable: () => Promise.resolve(false),
    }));
    expect(shown).to.deep.equal(['secret']);
    expect(outcome).to.have.property('isReadable');
  });

  it('is shown if it is unknown whether the log contains the change, and the command fails', async () => {
    const { shown, outcome } = await shownBy(async ({ decide }) => {
      await decide();
      throw new UnknownOutcomeError('Kafka did not acknowledge the record in time');
    });
    expect([shown, outcome instanceof CommandFailure, String(outcome)]).to.deep.equal([
      ['secret'],
      true,
      'CommandFailure: It is unknown whether the change was made: Kafka did not acknowledge the record in time. ' +
        'Look at the list.',
    ]);
  });

  it('is not shown if the change was not made', async () => {
    const failure = new UnavailableError('the change took too long and was not made');
    const { shown, outcome } = await shownBy(async ({ decide }) => {
      await decide();
      throw failure;
    });
    expect([shown, outcome]).to.deep.equal([[], failure]);
  });
});
