import { InvalidArgumentError, Option, type Command } from 'commander';

import type { Plan } from '../../shared/domain/account.js';
import { termsOf } from '../../shared/domain/plan.js';
import { createAccount, type CreatedAccount, type NewAccount } from '../createAccount.js';
import { readConfig } from '../environment.js';
import { print } from '../output.js';
import { withStores } from '../stores.js';

interface CreateOptions {
  readonly name: string;
  readonly email: string;
  readonly plan: Plan;
  readonly rps?: number;
  readonly json?: boolean;
}

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('create and list accounts');
  account
    .command('create')
    .description('create an account and print its keys, which are shown this once')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--email <email>', 'who to write to', readEmail)
    .addOption(new Option('--plan <plan>', 'its plan').choices(['free', 'pro', 'enterprise']).default('free'))
    .option('--rps <number>', 'requests a second in each mode; enterprise only', readRate)
    .option('--json', 'print JSON')
    .action(async (options: CreateOptions, command: Command) => {
      if (options.rps !== undefined && options.plan !== 'enterprise') {
        command.error('error: --rps goes with --plan enterprise: the other plans have limits of their own', {
          exitCode: 2,
        });
      }
      const created = await withStores(await readConfig(), ({ commands }) =>
        createAccount(commands, newAccount(options), new Date()),
      );
      print(options.json === true ? created : describe(created));
    });
  account
    .command('list')
    .description('list all accounts')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      await listAccounts(options.json === true);
    });
}

function newAccount({ name, email, plan, rps }: CreateOptions): NewAccount {
  return { name, email, ...termsOf(plan, rps ?? null) };
}

function describe(account: CreatedAccount): string {
  return [
    `Account   ${account.id}`,
    `Live key  ${account.liveKey}`,
    `Test key  ${account.testKey}`,
    'Keep the keys: they are not shown again.',
  ].join('\n');
}

async function listAccounts(asJson: boolean): Promise<void> {
  const { documents } = await withStores(await readConfig(), ({ models }) => models.accounts.findAll({}));
  const accounts = documents.map(({ _id: id, name, email, plan, requestsPerSecond: rps, created }) => ({
    id,
    name,
    email,
    plan,
    requestsPerSecond: rps,
    created: created.toISOString(),
  }));
  const lines = accounts.map(({ id, plan, requestsPerSecond: rps, name, email }) =>
    [id, plan.padEnd(10), `${rps}/s`.padStart(8), `${name} <${email}>`].join('  '),
  );
  print(asJson ? accounts : lines.join('\n') || 'There are no accounts.');
}

function readEmail(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) {
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
