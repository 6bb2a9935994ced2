import type { Plan } from '../../shared/domain/accounts/account.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import type { Stores } from '../environment/stores.js';

export interface ListedAccount {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly plan: Plan;
  readonly requestsPerSecond: number;
  readonly status: 'active' | 'suspended';
  readonly created: string;
}

/**
 * Lists all accounts, oldest first.
 * @throws CommandFailure while the read model is incomplete, because accounts would be missing from the list
 */
export async function listAccounts({ models }: Pick<Stores, 'models'>): Promise<readonly ListedAccount[]> {
  const { documents, meta } = await models.accounts.findAll({});
  if (!meta.complete) {
    throw new CommandFailure(
      'The read model of accounts is incomplete, because it is being built from the log. Try again in ' +
        'a moment.',
    );
  }
  return documents
    .filter((document) => document.isDeleted !== true)
    .toSorted((one, other) => one.created.getTime() - other.created.getTime())
    .map(({ _id: id, name, email, plan, requestsPerSecond, isSuspended, created }) => ({
      id,
      name,
      email,
      plan,
      requestsPerSecond,
      status: isSuspended ? 'suspended' : 'active',
      created: created.toISOString(),
    }));
}
