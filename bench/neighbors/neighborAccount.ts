import { createAccount } from '../../cli/accounts/createAccount.js';
import { withStores } from '../../cli/environment/stores.js';
import type { Config } from '../../shared/settings/config.js';

/** Another account of the measured service. */
export interface NeighborAccount {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Its plan rejects no request: what protects the others has to be something else. */
const account = {
  name: 'Neighbor',
  email: 'neighbor@localhost',
  plan: 'enterprise',
  requestsPerSecond: 1_000_000,
} as const;

export async function createNeighbor(config: Config): Promise<NeighborAccount> {
  const { id, liveKey } = await withStores(config, ({ commands }) =>
    createAccount(commands, account, new Date()),
  );
  return { id, headers: { authorization: `Bearer ${liveKey}` } };
}
