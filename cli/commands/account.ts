import { Argument, InvalidArgumentError, Option, type Command } from 'commander';

import type { Plan } from '../../shared/domain/accounts/account.js';
import { termsOf } from '../../shared/domain/accounts/plan.js';
import { signInUrl } from '../../shared/domain/accounts/signInLink.js';
import { emailForm } from '../../shared/domain/accounts/user.js';
import { publicUrlOf } from '../../shared/settings/publicUrl.js';
import { resume, setPlan, suspend } from '../accounts/changeAccount.js';
import { createAccount, type CreatedAccount, type NewAccount } from '../accounts/createAccount.js';
import { readConfig } from '../environment/environment.js';
import { listAccounts, type ListedAccount } from '../accounts/listAccounts.js';
import { logOperatorCommand, logUnchanged } from '../environment/operator.js';
import { print } from '../terminal/output.js';
import { renewSignInLink } from '../accounts/signInLink.js';
import { withStores } from '../environment/stores.js';
import { addDeleteAccountCommand } from './deleteAccount.js';

interface CreateOptions {
  readonly name: string;
  readonly email: string;
  readonly plan: Plan;
  readonly rps?: number;
  readonly json?: boolean;
}

const nothingChanged = 'Nothing was changed.';

const plans: readonly Plan[] = ['free', 'pro', 'enterprise'];

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('create, list and change accounts');
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
    .description('create an account and print its keys and a sign-in link, which are shown this once')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--email <email>', 'who to write to', readEmail)
    .addOption(new Option('--plan <plan>', 'its plan').choices(plans).default('free'))
    .option('--rps <number>', 'requests a second in each mode; enterprise only', readRate)
    .option('--json', 'print JSON')
    .action(async (options: CreateOptions, command: Command) => {
      refuseRate(options.plan, options.rps, command);
      const config = await readConfig();
      const created = await withStores(config, ({ commands, operator }) =>
        createAccount(commands, newAccount(options), new Date(), operator),
      );
      const shown = shownAccount(created, publicUrlOf(config.http));
      print(options.json === true ? shown : describeNew(shown));
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
    .description('put an account on a plan; it holds on every process within a second')
    .argument('<id>', 'the id of the account')
    .addArgument(new Argument('<plan>', 'its new plan').choices(plans))
    .option('--rps <number>', 'requests a second in each mode; enterprise only', readRate)
    .addHelpText(
      'after',
      '\nWithout --rps an account that is on enterprise keeps its number. Keys with scopes are refused on the other plans: ' +
        'they work again once the account is back on enterprise.',
    )
    .action(async (id: string, plan: Plan, { rps }: { rps?: number }, command: Command) => {
      refuseRate(plan, rps, command);
      const config = await readConfig();
      const { terms, isChanged } = await withStores(config, (stores) =>
        setPlan(stores, id, plan, rps ?? null),
      );
      const rate = `${terms.requestsPerSecond} requests a second in each mode`;
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
    .description('refuse all keys of an account, within a second on every process')
    .argument('<id>', 'the id of the account')
    .addHelpText(
      'after',
      '\nIts requests are answered with 403 and the reason. What was accepted before is delivered, retries included.',
    )
    .action(async (id: string) => {
      const config = await readConfig();
      if (await withStores(config, (stores) => suspend(stores, id))) {
        print(`${id} is suspended: its keys are refused.`);
      } else {
        logUnchanged(config, 'account suspend', id);
        print(`${id} was already suspended. ${nothingChanged}`);
      }
    });
  account
    .command('resume')
    .description('let the keys of a suspended account in again')
    .argument('<id>', 'the id of the account')
    .action(async (id: string) => {
      const config = await readConfig();
      if (await withStores(config, (stores) => resume(stores, id))) {
        print(`${id} is active: its keys work.`);
      } else {
        logUnchanged(config, 'account resume', id);
        print(`${id} was already active. ${nothingChanged}`);
      }
    });
}

function addSignInLinkCommand(account: Command): void {
  account
    .command('sign-in-link')
    .description('print a new one-time link to sign in to the dashboard with')
    .argument('<id>', 'the id of the account')
    .argument('<email>', 'the address of the person', readEmail)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nThe link sets a password, and takes the place of any earlier one: it holds for 24 hours, or for 7 days where the person has never' +
        ' signed in. An account that has nobody yet gets its first owner by it.',
    )
    .action(async (id: string, email: string, options: { json?: boolean }) => {
      const config = await readConfig();
      const token = await withStores(config, (stores) => renewSignInLink(stores, id, email, new Date()));
      const url = signInUrl(publicUrlOf(config.http), token);
      print(options.json === true ? { signInUrl: url } : url);
    });
}

function refuseRate(plan: Plan, rps: number | undefined, command: Command): void {
  if (rps !== undefined && plan !== 'enterprise') {
    command.error('error: --rps goes with the plan enterprise: the others have limits of their own', {
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
    'Keep the keys, and sign in within 7 days: neither is shown again.',
  ].join('\n');
}

function describe({ id, plan, requestsPerSecond, status, name, email }: ListedAccount): string {
  const rate = `${requestsPerSecond}/s`;
  return [id, plan.padEnd(10), rate.padStart(9), status.padEnd(9), `${name} <${email}>`].join('  ');
}

function readEmail(text: string): string {
  if (!emailForm.test(text)) {
    throw new InvalidArgumentError('It is not an e-mail address.');
  }
  return text;
}

function readRate(text: string): number {
  const rate = Number(text);
  if (!Number.isInteger(rate) || rate < 1 || rate > 1_000_000) {
    throw new InvalidArgumentError('It is a whole number from 1 to 1000000.');
  }
  return rate;
}
