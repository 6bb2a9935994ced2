import { expect } from 'chai';
import { z } from 'zod';

import { accountSchema } from '../../../../api/resources/account/routes.js';
import { defaultPortalSettings } from '../../../../shared/domain/accounts/portalSettings.js';
import { eventually } from '../../../support/eventually.js';
import { addApiKey, openAccount, type TestAccount } from '../../support/accounts.js';
import { createClient, read, refusalOf, type Client } from '../../support/client.js';
import { openOwner, openUser } from '../../support/signedInUsers.js';

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

  it('stores the portal settings, and GET returns them', async () => {
    const answered = await portalOf(settings);
    const { portal } = read(await account.test.get('/v1/account'), accountSchema);
    expect([answered, portal]).to.deep.equal([settings, settings]);
  });

  it('changes only the fields that the request contains', async () => {
    await patch(settings);
    expect(await portalOf({ name: null, colorScheme: 'light' })).to.deep.equal({
      ...settings,
      name: null,
      colorScheme: 'light',
    });
  });

  it('stores each origin once, in its normal form', async () => {
    const origins = ['https://Shop.Example.com:443', 'https://shop.example.com/'];
    expect((await portalOf({ origins })).origins).to.deep.equal(['https://shop.example.com']);
  });

  it('removes all origins with an empty list', async () => {
    await patch(settings);
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

  const invalid: readonly [portal: unknown, refusal: string][] = [
    [null, '400 parameter_invalid portal'],
    [{ name: ' ' }, '400 parameter_invalid portal.name'],
    [{ name: 'x'.repeat(101) }, '400 parameter_invalid portal.name'],
    [{ logoUrl: 'http://cdn.example.com/a' }, '400 parameter_invalid portal.logoUrl'],
    [{ logoUrl: 'javascript:alert(1)' }, '400 parameter_invalid portal.logoUrl'],
    [{ accentColor: 'red' }, '400 parameter_invalid portal.accentColor'],
    [{ accentColor: '#fff' }, '400 parameter_invalid portal.accentColor'],
    [{ colorScheme: 'pink' }, '400 parameter_invalid portal.colorScheme'],
    [{ origins: 'https://shop.example.com' }, '400 parameter_invalid portal.origins'],
    [{ origins: ['https://a.example', 'http://b.example'] }, '400 parameter_invalid portal.origins[1]'],
    [{ origins: ['https://*.example.com'] }, '400 parameter_invalid portal.origins[0]'],
    [
      { origins: Array.from({ length: 21 }, (_, index) => `https://${String(index)}.example`) },
      '400 parameter_invalid portal.origins',
    ],
    [{ css: '' }, '400 parameter_unknown portal.css'],
  ];
  for (const [portal, refusal] of invalid) {
    it(`rejects ${JSON.stringify(portal).slice(0, 60)}`, async () => {
      expect(refusalOf(await patch(portal))).to.equal(refusal);
    });
  }

  it('requires an owner or a full live key', async () => {
    const owner = await openOwner(account);
    const developer = await openUser(account, owner, 'developer');
    const scoped = await addApiKey(account, { mode: 'live', scopes: ['tenants:write'] });
    const body = { portal: { name: 'Shop' } };
    const refused = [
      await patch(body.portal, account.test),
      await patch(body.portal, createClient(account.service.address, scoped.secret)),
      await developer.send('PATCH', '/v1/account', { body }),
    ];
    const accepted = await owner.send('PATCH', '/v1/account', { body });
    expect([refused.map(refusalOf), accepted.status, (await portalOf({})).name]).to.deep.equal([
      ['403 insufficient_scope', '403 insufficient_scope', '403 insufficient_scope'],
      200,
      'Shop',
    ]);
  });

  it('changes no other account', async () => {
    const other = await openAccount(account.service);
    await patch(settings);
    const { portal } = read(await other.live.get('/v1/account'), accountSchema);
    expect(portal).to.deep.equal(defaultPortalSettings);
  });
});
