import { expect } from 'chai';
import { z } from 'zod';

import { accountSchema } from '../../../../api/resources/account/routes.js';
import { defaultPortalSettings } from '../../../../shared/domain/accounts/portalSettings.js';
import { eventually } from '../../../support/eventually.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf, type Client } from '../../support/client.js';

const settings = {
  name: 'Shop',
  logoUrl: 'https://cdn.example.com/logo.svg',
  accentColor: '#0A7d55',
  colorScheme: 'dark',
  origins: ['https://shop.example.com', 'http://localhost:3000'],
} as const;

const entries = z.object({
  data: z.array(z.object({ changes: z.object({ portalName: z.object({ to: z.string() }) }) })),
});

describe('PATCH /v1/account', () => {
  let account: TestAccount;
  beforeEach(async () => {
    account = await openAccount();
  });

  const patch = (portal: unknown, client: Client = account.live) =>
    client.patchJson('/v1/account', { portal });
  const portalOf = async (portal: unknown) => read(await patch(portal), accountSchema).portal;
  /** The names after each change in the audit log, newest first, once it contains a change to `last`. */
  const namesUntil = (last: string) =>
    eventually('the entry of the last change', async () => {
      const { text } = await account.live.get('/v1/audit-log?action=account.settings_changed');
      const names = entries.parse(JSON.parse(text)).data.map(({ changes }) => changes.portalName.to);
      return names[0] === last ? names : null;
    });

  it('stores the portal settings of the account alone, and GET returns them', async () => {
    const other = await openAccount(account.service);
    const answered = await portalOf(settings);
    const [own, others] = [
      read(await account.test.get('/v1/account'), accountSchema),
      read(await other.live.get('/v1/account'), accountSchema),
    ];
    expect([answered, own.portal, others.portal]).to.deep.equal([settings, settings, defaultPortalSettings]);
  });

  it('changes only the fields that the request contains, and stores each origin once in its normal form', async () => {
    await patch(settings);
    const origins = ['https://Shop.Example.com:443', 'https://shop.example.com/'];
    expect(await portalOf({ name: null, colorScheme: 'light', origins })).to.deep.equal({
      ...settings,
      ...{ name: null, colorScheme: 'light', origins: ['https://shop.example.com'] },
    });
    expect((await portalOf({ origins: [] })).origins).to.deep.equal([]);
  });

  it('writes each change to the audit log, and appends nothing without a difference', async () => {
    await patch(settings);
    const answers = [await patch(settings), await patch({}), await account.live.patchJson('/v1/account', {})];
    await patch({ name: 'Another' });
    expect([answers.map(({ status }) => status), await namesUntil('Another')]).to.deep.equal([
      [200, 200, 200],
      ['Another', 'Shop'],
    ]);
  });

  it('validates its body', async () => {
    expect(refusalOf(await patch({ accentColor: 'red' }))).to.equal(
      '400 parameter_invalid portal.accentColor',
    );
  });
});
