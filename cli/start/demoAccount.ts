import type { Config } from '../../shared/settings/config.js';
import { allPartitions } from '../../shared/store/models/modelProgress.js';
import { createAccount, type CreatedAccount } from '../accounts/createAccount.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import { withStores } from '../environment/stores.js';

const demoAccount = {
  name: 'Demo',
  email: 'demo@localhost',
  plan: 'enterprise',
  requestsPerSecond: 100_000,
} as const;

const modelTimeoutMs = 60_000;

/** Creates an account for trying the service if none exists. Null if one exists. */
export async function createDemoAccount(config: Config): Promise<CreatedAccount | null> {
  return withStores(config, async ({ models, commands, offsets, progress }) => {
    // If the read models were deleted but the log was not, the account exists and is being restored.
    const ends = allPartitions(await offsets.ends('accounts'));
    if (!(await progress.accounts.reached('accounts', ends, modelTimeoutMs))) {
      throw new CommandFailure('The read model of accounts is not ready. See the log of the projections.');
    }
    const { documents } = await models.accounts.findAll({});
    return documents.length === 0 ? createAccount(commands, demoAccount, new Date()) : null;
  });
}
