import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';

import { createAccount } from '../../../cli/accounts/createAccount.js';
import { operatorOf } from '../../../cli/environment/operator.js';
import { eventually } from '../../support/eventually.js';
import { runCommand, runProgramIn } from '../../support/program.js';
import { sharedService, type SharedService } from '../../support/service.js';
import type { Settings } from '../../support/settings.js';

describe('the operator of a command', () => {
  let service: SharedService;
  let settings: Settings;
  before(async () => {
    service = await sharedService();
    settings = { ...service.settings, POSTRIDER_OPERATOR: 'Ada Lovelace', LOG_LEVEL: 'info' };
  });

  it('has the name in the setting, by default the user of the operating system', () => {
    expect([operatorOf({ operator: 'Ada' }).name, operatorOf({ operator: null }).name]).to.deep.equal([
      'Ada',
      userInfo().username,
    ]);
  });

  it('is the actor of all changes to an account by commands', async () => {
    const created = await runCommand(
      settings,
      ...['account', 'create', '--name', 'Shop', '--email', 'shop@example.com', '--plan', 'free', '--json'],
    );
    const { id } = JSON.parse(created.stdout) as { id: string };
    await runCommand(settings, 'account', 'set-plan', id, 'pro');
    await runCommand(settings, 'account', 'suspend', id);
    await runCommand(settings, 'account', 'resume', id);
    const linked = await runCommand(settings, 'account', 'sign-in-link', id, 'shop@example.com');
    const entries = await eventually('the entries', () =>
      service.withStores(async ({ models }) => {
        const found = await models.audit.findPage({
          ranges: [{ filter: { accountId: id }, sort: { created: -1, _id: -1 } }],
          limit: 20,
          index: { accountId: 1, created: -1, _id: -1 },
        });
        return found.length >= 8 ? found : null;
      }),
    );
    expect([linked.stderr, new Set(entries.map(({ actor }) => actor.name))]).to.deep.equal([
      '',
      new Set(['Ada Lovelace']),
    ]);
    expect(entries.map(({ action }) => action).slice(0, 4)).to.deep.equal([
      'user.changed',
      'account.resumed',
      'account.suspended',
      'account.plan_changed',
    ]);
  });

  const commands: readonly (readonly [command: string, words: readonly string[]])[] = [
    ['account list', ['account', 'list', '--json']],
    ['dlq list', ['dlq', 'list', '--json']],
    ['lag', ['lag', '--json']],
    ['migrate --dry-run', ['migrate', '--dry-run', '--json']],
  ];
  for (const [command, words] of commands) {
    it(`is in the security log line of "${command}", on standard error`, async () => {
      const { code, stdout, stderr } = await runCommand(settings, ...words);
      const { security, operator, command: logged, role } = JSON.parse(stderr) as Record<string, unknown>;
      expect([code, security, operator, logged, role, JSON.parse(stdout) !== null]).to.deep.equal([
        0,
        'operator_command',
        'Ada Lovelace',
        command,
        'cli',
        true,
      ]);
    });
  }

  it('is in the security log line of an account command that changes nothing, and the command prints that', async () => {
    const account = { name: 'Same', email: 'same@example.com', plan: 'pro', requestsPerSecond: 100 } as const;
    const { id } = await service.withStores(({ commands: runner }) =>
      createAccount(runner, account, new Date()),
    );
    const run = async (words: readonly string[]) => {
      const { stdout, stderr } = await runCommand(settings, 'account', ...words);
      const { operator, command, accountId, changed } = JSON.parse(stderr) as Record<string, unknown>;
      return [stdout, operator, command, accountId, changed];
    };
    const suspendAgain = async () => {
      await runCommand(settings, 'account', 'suspend', id);
      return run(['suspend', id]);
    };
    const deleteAgain = async () => {
      await runCommand(settings, 'account', 'delete', id, '--yes');
      return run(['delete', id]);
    };
    expect([
      await run(['set-plan', id, 'pro']),
      await run(['resume', id]),
      await suspendAgain(),
      await deleteAgain(),
    ]).to.deep.equal(
      [
        [
          'account set-plan',
          'was already on pro: 100 requests per second in each mode. No account was changed.',
        ],
        ['account resume', 'was already active. No account was changed.'],
        ['account suspend', 'was already suspended. No account was changed.'],
        ['account delete', 'was already deleted. The read models contain no data of the account.'],
      ].map(([command, outcome = '']) => [`${id} ${outcome}\n`, 'Ada Lovelace', command, id, false]),
    );
  });

  for (const words of [
    ['stack', 'down'],
    ['reset', '--yes'],
  ]) {
    it(`is in the security log line of "${words[0] ?? ''}" for the local servers of a folder`, async () => {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'postrider-operator-')));
      const outcome = await runProgramIn(folder, { POSTRIDER_OPERATOR: 'Ada Lovelace' }, ...words);
      await rm(folder, { recursive: true });
      const [line = ''] = outcome.stderr.split('\n');
      const { security, operator, command, directory } = JSON.parse(line) as Record<string, unknown>;
      expect([outcome.code, security, operator, directory]).to.deep.equal([
        0,
        'operator_command',
        'Ada Lovelace',
        join(folder, '.postrider'),
      ]);
      expect(command).to.equal(words.filter((word) => !word.startsWith('--')).join(' '));
    });
  }

  it('is not logged for a command that fails without effect', async () => {
    const { code, stderr } = await runCommand(settings, 'lag', '--group', 'no-such-group');
    expect([code, stderr.trimEnd().split('\n').length, stderr.slice(0, 10)]).to.deep.equal([
      1,
      1,
      'postrider:',
    ]);
  });

  it('is the program itself for the account that it creates', async () => {
    const account = { name: 'Demo', email: 'demo@example.com', plan: 'free', requestsPerSecond: 10 } as const;
    const { id } = await service.withStores(({ commands: runner }) =>
      createAccount(runner, account, new Date()),
    );
    const [entry] = await eventually('an entry', () =>
      service.withStores(async ({ models }) => {
        const found = await models.audit.findPage({
          ranges: [{ filter: { accountId: id }, sort: { created: -1, _id: -1 } }],
          limit: 1,
          index: { accountId: 1, created: -1, _id: -1 },
        });
        return found.length > 0 ? found : null;
      }),
    );
    expect(entry?.actor.name).to.equal('postrider');
  });
});
