import type { Command } from '../../shared/commands/commandRunner.js';
import { createRandom } from '../../shared/core/random.js';
import {
  type AccountFact,
  type Plan,
  type PlanTerms,
  termsOf,
} from '../../shared/domain/accounts/account.js';
import type { Actor } from '../../shared/domain/core/fact.js';
import { createIdentifiers, isIdentifier } from '../../shared/domain/core/identifiers.js';
import { accountRecords } from '../../shared/log/records/accounts.js';
import type { LiveAccountDocument } from '../../shared/store/models/documents.js';
import type { Stores } from '../environment/stores.js';
import { CommandFailure } from '../terminal/output.js';

export type AccountStores = Pick<Stores, 'models' | 'commands' | 'operator'>;

/** Decides on the fact that changes an account. The fact is null if the account already has the requested state. */
type Decide<Result> = (account: LiveAccountDocument) => {
  readonly fact: AccountFact | null;
  readonly result: Result;
};

export interface PlanChange {
  readonly terms: PlanTerms;
  readonly isChanged: boolean;
}

/**
 * Changes the plan of an account.
 * @param agreed requests per second of an Enterprise account. With null the account keeps its number, or gets the
 * number of the plan.
 */
export function setPlan(
  stores: AccountStores,
  accountId: string,
  plan: Plan,
  agreed: number | null,
): Promise<PlanChange> {
  return changeAccount(stores, accountId, (account) => {
    const terms = termsOf(plan, agreed, account);
    const isChanged = account.plan !== terms.plan || account.requestsPerSecond !== terms.requestsPerSecond;
    return {
      fact: isChanged ? planChanged(account, terms, stores.operator) : null,
      result: { terms, isChanged },
    };
  });
}

/** @returns whether the account was not suspended before */
export function suspend(stores: AccountStores, accountId: string): Promise<boolean> {
  return changeAccount(stores, accountId, ({ isSuspended }) => ({
    fact: isSuspended ? null : { type: 'postrider.account.suspended', value: { actor: stores.operator } },
    result: !isSuspended,
  }));
}

/** @returns whether the account was suspended before */
export function resume(stores: AccountStores, accountId: string): Promise<boolean> {
  return changeAccount(stores, accountId, ({ isSuspended }) => ({
    fact: isSuspended ? { type: 'postrider.account.resumed', value: { actor: stores.operator } } : null,
    result: isSuspended,
  }));
}

function planChanged(before: PlanTerms, after: PlanTerms, actor: Actor): AccountFact {
  return {
    type: 'postrider.account.plan-changed',
    value: {
      changes: {
        plan: { from: before.plan, to: after.plan },
        requestsPerSecond: { from: before.requestsPerSecond, to: after.requestsPerSecond },
      },
      actor,
    },
  };
}

/**
 * Runs a command on an account that is not deleted, and returns after the change has taken effect.
 * @throws CommandFailure if the account does not exist
 */
export async function changeAccount<Result>(
  { models, commands }: Pick<AccountStores, 'models' | 'commands'>,
  accountId: string,
  decide: Decide<Result>,
): Promise<Result> {
  return commands.run(accountChange({ models }, accountId, decide));
}

/**
 * The command that changes an account that is not deleted.
 * @throws CommandFailure if the account does not exist, here or in the command
 */
export function accountChange<Result>(
  { models }: Pick<AccountStores, 'models'>,
  accountId: string,
  decide: Decide<Result>,
): Command<Result> {
  if (!isIdentifier('acct', accountId)) {
    throw missingAccount(accountId);
  }
  return {
    accountId,
    topic: 'accounts',
    decide: async () => {
      const [account] = (await models.accounts.findByIds(accountId, [accountId])).documents;
      if (account === undefined || account.isDeleted === true) {
        throw missingAccount(accountId);
      }
      const { fact, result } = decide(account);
      const at = new Date();
      const id = createIdentifiers(createRandom()).createRecordId(at);
      const context = { id, key: accountId, accountId, mode: null, at };
      return { records: fact === null ? [] : [accountRecords.encode(fact, context)], result };
    },
  };
}

export function missingAccount(accountId: string): CommandFailure {
  return new CommandFailure(
    `Account ${accountId} does not exist. \`postrider account list\` lists all accounts.`,
  );
}
