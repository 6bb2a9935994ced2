import { Argument, InvalidArgumentError, Option, type Command } from 'commander';

import { type Plan, termsOf } from '../../shared/domain/accounts/account.js';
import { signInUrl } from '../../shared/domain/accounts/signInLink.js';
import { emailForm } from '../../shared/domain/accounts/user.js';
import { publicUrlOf } from '../../shared/runtime/listen.js';
import type { Config } from '../../shared/settings/config.js';
import { resume, setPlan, suspend } from '../accounts/changeAccount.js';
import { accountCreation, type CreatedAccount, type NewAccount } from '../accounts/createAccount.js';
import { addDeleteAccountCommand } from '../accounts/deleteAccount.js';
import { showOnce, type ShownOnce } from '../accounts/showOnce.js';
import { signInLinkRenewal } from '../accounts/signInLink.js';
import { readConfig } from '../environment/environment.js';
import { logOperatorCommand, logUnchanged } from '../environment/operator.js';
import { withStores, type Stores } from '../environment/stores.js';
import { CommandFailure, print, printStatus } from '../terminal/output.js';

interface CreateOptions {
  readonly name: string;
  readonly email: string;
  readonly plan: Plan;
  readonly rps?: number;
  readonly json?: boolean;
}

const nothingChanged = 'No account was changed.';

const plans: readonly Plan[] = ['free', 'pro', 'enterprise'];

export function addAccountCommands(program: Command): void {
  const account = program.command('account');
  addCreateCommand(account);
  addListCommand(account);
  addSetPlanCommand(account);
  addSuspendCommands(account);
  addSignInLinkCommand(account);
  addDeleteAccountCommand(account);
}

function addCreateCommand(account: Command): void {
  account
    .command('create')
    .description('create an account, and print its keys and a sign-in link only this once')
    .requiredOption('--name <name>', 'the name of the account')
    .requiredOption('--email <email>', 'the email address of the first owner', readEmail)
    .addOption(new Option('--plan <plan>', 'the plan of the account').choices(plans).default('free'))
    .option('--rps <number>', 'requests per second in each mode (enterprise only)', readRate)
    .option('--json', 'print JSON')
    .action(async (options: CreateOptions, command: Command) => {
      refuseRate(options.plan, options.rps, command);
      const config = await readConfig();
      await withStores(config, ({ commands, operator }) =>
        printOnce(commands, config, {
          command: accountCreation(newAccount(options), new Date(), operator),
          show: (created) => {
            const shown = shownAccount(created, publicUrlOf(config.http));
            print(options.json === true ? shown : describeNew(shown));
          },
          ifUnknown:
            'Look for the id in `postrider account list` in a minute. If it is there, the keys and the link are valid. ' +
            'Otherwise, create the account again.',
        }),
      );
    });
}

function addListCommand(account: Command): void {
  account
    .command('list')
    .description('list all accounts, oldest first')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const config = await readConfig();
      const accounts = await withStores(config, listAccounts);
      logOperatorCommand(config, 'account list');
      print(options.json === true ? accounts : accounts.map(describe).join('\n') || 'There are no accounts.');
    });
}

function addSetPlanCommand(account: Command): void {
  account
    .command('set-plan')
    .description('change the plan of an account (effective on every process within a second)')
    .argument('<id>', 'the id of the account')
    .addArgument(new Argument('<plan>', 'the new plan').choices(plans))
    .option('--rps <number>', 'requests per second in each mode (enterprise only)', readRate)
    .addHelpText(
      'after',
      '\nWithout --rps, an Enterprise account keeps its requests per second. Other plans reject keys with ' +
        'scopes. Keys with scopes work again when the account returns to the plan enterprise.',
    )
    .action(async (id: string, plan: Plan, { rps }: { rps?: number }, command: Command) => {
      refuseRate(plan, rps, command);
      const config = await readConfig();
      const { terms, isChanged } = await withStores(config, (stores) =>
        setPlan(stores, id, plan, rps ?? null),
      );
      const rate = `${terms.requestsPerSecond} requests per second in each mode`;
      if (isChanged) {
        print(`${id} is on ${terms.plan}: ${rate}.`);
      } else {
        logUnchanged(config, 'account set-plan', id);
        print(`${id} was already on ${terms.plan}: ${rate}. ${nothingChanged}`);
      }
    });
}

function addSuspendCommands(account: Command): void {
  account
    .command('suspend')
    .description('suspend an account: reject all its keys on every process within a second')
    .argument('<id>', 'the id of the account')
    .addHelpText(
      'after',
      '\nThe API answers requests of a suspended account with 403 and the reason. Events that ' +
        'were accepted earlier are still delivered and retried.',
    )
    .action(async (id: string) => {
      const config = await readConfig();
      if (await withStores(config, (stores) => suspend(stores, id))) {
        print(`${id} is suspended. The API rejects the keys of the account.`);
      } else {
        logUnchanged(config, 'account suspend', id);
        print(`${id} was already suspended. ${nothingChanged}`);
      }
    });
  account
    .command('resume')
    .description('reactivate a suspended account: accept its keys again')
    .argument('<id>', 'the id of the account')
    .action(async (id: string) => {
      const config = await readConfig();
      if (await withStores(config, (stores) => resume(stores, id))) {
        print(`${id} is active. The API accepts the keys of the account.`);
      } else {
        logUnchanged(config, 'account resume', id);
        print(`${id} was already active. ${nothingChanged}`);
      }
    });
}

function addSignInLinkCommand(account: Command): void {
  account
    .command('sign-in-link')
    .description('print a new one-time link for signing in to the dashboard')
    .argument('<id>', 'the id of the account')
    .argument('<email>', 'the email address of the user', readEmail)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nThe sign-in link sets a password and replaces any earlier link. The link is valid for ' +
        '24 hours, or for 7 days if the user has never signed in. If the account has no users, the link ' +
        'creates its first owner.',
    )
    .action(async (id: string, email: string, options: { json?: boolean }) => {
      const config = await readConfig();
      await withStores(config, (stores) =>
        printOnce(stores.commands, config, {
          command: signInLinkRenewal(stores, id, email, new Date()),
          show: (token) => {
            const url = signInUrl(publicUrlOf(config.http), token);
            print(options.json === true ? { signInUrl: url } : url);
          },
          ifUnknown: 'If the link is not valid, create another. It replaces this link.',
        }),
      );
    });
}

/** Prints the result of a command once, and warns if the result cannot be used yet. */
async function printOnce<Result>(
  commands: Stores['commands'],
  { deadlines }: Pick<Config, 'deadlines'>,
  shown: ShownOnce<Result>,
): Promise<void> {
  const { isReadable } = await showOnce(commands, shown);
  if (!(await isReadable(deadlines.readModelMs))) {
    printStatus(
      'Warning: the read model of accounts is behind, so what is printed above is not valid yet. It becomes valid ' +
        'when "postrider projections" has caught up. Do not repeat the command.',
    );
  }
}

function refuseRate(plan: Plan, rps: number | undefined, command: Command): void {
  if (rps !== undefined && plan !== 'enterprise') {
    command.error('error: --rps requires the plan enterprise, because other plans have fixed limits', {
      exitCode: 2,
    });
  }
}

function newAccount({ name, email, plan, rps }: CreateOptions): NewAccount {
  return { name, email, ...termsOf(plan, rps ?? null) };
}

interface ShownAccount extends Omit<CreatedAccount, 'signInToken'> {
  readonly signInUrl: string;
}

function shownAccount(
  { id, liveKey, testKey, signInToken }: CreatedAccount,
  publicUrl: string,
): ShownAccount {
  return { id, liveKey, testKey, signInUrl: signInUrl(publicUrl, signInToken) };
}

function describeNew(account: ShownAccount): string {
  return [
    `Account   ${account.id}`,
    `Live key  ${account.liveKey}`,
    `Test key  ${account.testKey}`,
    `Sign in   ${account.signInUrl}`,
    'Store the keys, and sign in within 7 days. The keys and the link are not shown again.',
  ].join('\n');
}

function describe({ id, plan, requestsPerSecond, status, name, email }: ListedAccount): string {
  const rate = `${requestsPerSecond}/s`;
  return [id, plan.padEnd(10), rate.padStart(9), status.padEnd(9), `${name} <${email}>`].join('  ');
}

function readEmail(text: string): string {
  if (!emailForm.test(text)) {
    throw new InvalidArgumentError('Pass an email address, such as ada@example.com.');
  }
  return text;
}

function readRate(text: string): number {
  const rate = Number(text);
  if (!Number.isInteger(rate) || rate < 1 || rate > 1_000_000) {
    throw new InvalidArgumentError('Pass a whole number from 1 to 1000000.');
  }
  return rate;
}

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
async function listAccounts({ models }: Pick<Stores, 'models'>): Promise<readonly ListedAccount[]> {
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
