import type { Config } from '../../shared/config.js';
import { createAccount, type CreatedAccount } from '../createAccount.js';
import { withStores } from '../stores.js';

const demoAccount = {
  name: 'Demo',
  email: 'demo@localhost',
  plan: 'enterprise',
  requestsPerSecond: 100_000,
} as const;

/** Makes an account to try the service with where there is none yet; null where there is. */
export async function createDemoAccount(config: Config): Promise<CreatedAccount | null> {
  return withStores(config, async ({ models, commands }) => {
    const { documents } = await models.accounts.findAll({});
    return documents.length === 0 ? createAccount(commands, demoAccount, new Date()) : null;
  });
}
