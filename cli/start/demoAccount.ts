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

/** Makes an account to try the service with where there is none yet; null where there is. */
export async function createDemoAccount(config: Config): Promise<CreatedAccount | null> {
  return withStores(config, async ({ models, commands, offsets, progress }) => {
    // Where the read models are gone and the log is not, there is one, and it is on its way back.
    const ends = allPartitions(await offsets.ends('accounts'));
    if (!(await progress.accounts.reached('accounts', ends, modelTimeoutMs))) {
      throw new CommandFailure('The accounts are not read from the log yet. See the log of the projections.');
    }
    const { documents } = await models.accounts.findAll({});
    return documents.length === 0 ? createAccount(commands, demoAccount, new Date()) : null;
  });
}
