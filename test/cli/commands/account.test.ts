import { expect } from 'chai';

import type { ListedAccount } from '../../../cli/commands/account.js';
import { createAccount } from '../../../cli/accounts/createAccount.js';
import { runCommand } from '../../support/program.js';
import { sharedService, type SharedService } from '../../support/service.js';

const unknown = 'acct_01HZZZZZZZZZZZZZZZZZZZZZZZ';

describe('postrider account', () => {
  let service: SharedService;
  let id: string;
  before(async () => {
    service = await sharedService();
    const account = { name: 'Shop', email: 'shop@example.com', plan: 'free', requestsPerSecond: 10 } as const;
    const created = await service.withStores(({ commands }) => createAccount(commands, account, new Date()));
    id = created.id;
  });

  const account = (...programArguments: readonly string[]) =>
    runCommand(service.settings, 'account', ...programArguments);

  const listed = async (): Promise<ListedAccount | undefined> => {
    const accounts = JSON.parse((await account('list', '--json')).stdout) as readonly ListedAccount[];
    return accounts.find((one) => one.id === id);
  };

  it('list shows an account on one line', async () => {
    const { code, stdout } = await account('list');
    const line = stdout.split('\n').find((text) => text.startsWith(id)) ?? '';
    expect([code, line.replaceAll(/ +/g, ' ')]).to.deep.equal([
      0,
      `${id} free 10/s active Shop <shop@example.com>`,
    ]);
  });

  it('list --json shows all fields of an account', async () => {
    const { created, ...shown } = (await listed()) ?? { created: '' };
    expect([Date.parse(created) > 0, shown]).to.deep.equal([
      true,
      {
        id,
        name: 'Shop',
        email: 'shop@example.com',
        plan: 'free',
        requestsPerSecond: 10,
        status: 'active',
      },
    ]);
  });

  it('set-plan changes plan and rate limit, and confirms them', async () => {
    const outcome = await account('set-plan', id, 'enterprise', '--rps', '250');
    const { plan, requestsPerSecond } = (await listed()) ?? {};
    expect([outcome, plan, requestsPerSecond]).to.deep.equal([
      { code: 0, stdout: `${id} is on enterprise: 250 requests per second in each mode.\n`, stderr: '' },
      'enterprise',
      250,
    ]);
  });

  it('suspend and resume change the status', async () => {
    const suspended = await account('suspend', id);
    const between = (await listed())?.status;
    const resumed = await account('resume', id);
    expect([suspended.code, between, resumed.code, (await listed())?.status]).to.deep.equal([
      0,
      'suspended',
      0,
      'active',
    ]);
  });

  it('delete requires confirmation, and deletes nothing in a non-interactive shell', async () => {
    const outcome = await account('delete', id);
    expect([outcome, (await listed())?.id]).to.deep.equal([
      {
        code: 1,
        stdout: '',
        stderr: 'postrider: Deletion requires confirmation. In a non-interactive shell, pass --yes.\n',
      },
      id,
    ]);
  });

  const failures: readonly (readonly string[])[] = [
    ['set-plan', unknown, 'pro'],
    ['suspend', unknown],
    ['resume', 'acct_1'],
    ['delete', unknown],
    ['delete', 'acct_1'],
  ];
  it('fails with exit code 1 and one line for an unknown account', async () => {
    for (const failing of failures) {
      expect(await account(...failing), failing.join(' ')).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: `postrider: Account ${failing[1] ?? ''} does not exist. \`postrider account list\` lists all accounts.\n`,
      });
    }
  });

  const wrongUses: readonly (readonly string[])[] = [
    ['set-plan', unknown],
    ['set-plan', unknown, 'gold'],
    ['set-plan', unknown, 'pro', '--rps', '5'],
    ['set-plan', unknown, 'enterprise', '--rps', '0'],
    ['suspend'],
    ['delete'],
    ['list', '--xml'],
  ];
  it('fails with exit code 2 for invalid arguments', async () => {
    for (const wrong of wrongUses) {
      const { code, stdout, stderr } = await account(...wrong);
      expect([code, stdout, stderr.slice(0, 7)], wrong.join(' ')).to.deep.equal([2, '', 'error: ']);
    }
  });
});
