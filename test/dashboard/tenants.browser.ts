import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { createClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { untilListed } from './support/untilListed.js';
import { startVisit, type Visit } from './support/visitor.js';

const unauthorized = 401;

describe('the pages of tenants', () => {
  let visit: Visit;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    await visit.client.put('/v1/tenants/acme', { name: 'Acme Ltd', metadata: { plan: 'gold' } });
    await visit.client.post('/v1/events', { type: 'order.of_acme', data: {}, tenantId: 'acme' });
    await visit.client.post('/v1/events', { type: 'order.of_nobody', data: {} });
    await untilListed(visit.client, '/v1/events', 'order.of_acme', 'order.of_nobody');
    await Promise.all(
      Array.from({ length: 26 }, (_, number) => visit.client.put(`/v1/tenants/customer-${number}`, {})),
    );
    page = await visit.open('/tenants');
  });

  const links = () => page.locator('tbody .row-link').allInnerTexts();

  async function listed(count: number): Promise<readonly string[]> {
    return eventually(`a list of ${count}`, async () => {
      const shown = await links();
      return shown.length === count ? shown : null;
    });
  }

  async function show(place: string): Promise<void> {
    await page.goto(visit.addressOf(place));
    await page.getByRole('heading', { level: 1 }).waitFor();
  }

  const dialog = () => page.getByRole('dialog');

  it('list tenants in pages, the newest tenant first', async () => {
    const first = await listed(25);
    await page.getByRole('link', { name: 'Older' }).click();
    const second = await listed(2);
    expect([new Set([...first, ...second]).size, second.at(-1)]).to.deep.equal([27, 'Acme Ltd']);
  });

  for (const text of ['ACME', 'me lt']) {
    it(`find a tenant by a part of its id or name: ${text}`, async () => {
      await show('/tenants');
      await page.getByLabel('Id or name').fill(text);
      await page.keyboard.press('Enter');
      expect(await listed(1)).to.deep.equal(['Acme Ltd']);
    });
  }

  it('create a tenant with metadata, and reject an invalid id and the id of an existing tenant', async () => {
    await show('/tenants');
    await page.getByRole('button', { name: 'Add tenant' }).click();
    const add = dialog().getByRole('button', { name: 'Add tenant' });
    await dialog().getByLabel('Tenant id').fill('a/b');
    await add.click();
    await dialog().getByText('Enter 1 to 128 characters').waitFor();
    await dialog().getByLabel('Tenant id').fill('acme');
    await add.click();
    await dialog().getByText('The tenant acme exists already').waitFor();
    await dialog().getByLabel('Tenant id').fill('globex:eu');
    await dialog().getByLabel('Name').fill('Globex');
    await dialog().getByRole('button', { name: 'Add entry' }).click();
    await page.getByLabel('Key 1').fill('plan');
    await page.getByLabel('Value 1').fill('silver');
    await add.click();
    await page.getByRole('heading', { level: 1, name: 'Globex' }).waitFor();
    const [acme, globex] = await Promise.all(
      ['acme', 'globex:eu'].map((id) => visit.client.get(`/v1/tenants/${id}`)),
    );
    expect([acme?.body['name'], globex?.body['name'], globex?.body['metadata']]).to.deep.equal([
      'Acme Ltd',
      'Globex',
      { plan: 'silver' },
    ]);
  });

  it('create an API key of a tenant, which is not among the keys of the account', async () => {
    await show('/tenants/acme');
    await page.locator('main').getByRole('link', { name: 'API keys' }).click();
    await page.getByText('No live keys').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    await dialog().getByLabel('Name').fill('Backend of Acme');
    await dialog().getByRole('button', { name: 'Create key' }).click();
    const secret = await dialog().locator('.secret-text').innerText();
    await dialog().getByRole('button', { name: 'I have copied the key' }).click();
    await page.getByRole('row', { name: 'Backend of Acme' }).waitFor();
    const acme = createClient(visit.service.address, secret);
    const answers = await Promise.all(['/v1/webhooks', '/v1/tenants'].map((path) => acme.get(path)));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 403]);
    await show('/api-keys');
    await page.getByRole('table', { name: 'API keys' }).waitFor();
    expect(await page.getByText('Backend of Acme').count()).to.equal(0);
  });

  it('change the name and the metadata of a tenant', async () => {
    await visit.client.put('/v1/tenants/renamed', { name: 'Before', metadata: { plan: 'gold' } });
    await show('/tenants/renamed');
    await page.getByRole('button', { name: 'Edit tenant' }).click();
    await page.getByLabel('Name').fill('After');
    await dialog().getByRole('button', { name: 'Remove entry 1' }).click();
    await dialog().getByRole('button', { name: 'Save tenant' }).click();
    await page.getByRole('heading', { level: 1, name: 'After' }).waitFor();
    await page.getByText('The tenant has no metadata.').waitFor();
    expect((await visit.client.get('/v1/tenants/renamed')).body['metadata']).to.deep.equal({});
  });

  it('show a tenant with its events and its new webhook, and with links from both', async () => {
    await show('/tenants/acme');
    await page.getByText('The tenant has no webhooks yet.').waitFor();
    expect(await listed(1)).to.deep.equal(['order.of_acme']);
    await page.getByRole('link', { name: 'Add webhook' }).click();
    await page.getByText('The webhook gets only the events of the tenant').waitFor();
    await page.getByLabel('URL').fill('http://127.0.0.1:9/acme');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your webhook is ready' }).waitFor();
    await page.getByRole('link', { name: 'Tenant', exact: true }).click();
    await page.getByRole('link', { name: 'http://127.0.0.1:9/acme' }).click();
    await page.getByRole('heading', { level: 1, name: 'http://127.0.0.1:9/acme' }).waitFor();
    await page.locator('header').getByRole('link', { name: 'acme', exact: true }).click();
    await page.getByRole('link', { name: 'order.of_acme' }).click();
    await page.getByRole('heading', { level: 1, name: 'order.of_acme' }).waitFor();
    await page.locator('header').getByRole('link', { name: 'acme', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Acme Ltd' }).waitFor();
  });

  it('filter events and webhooks by tenant', async () => {
    await show('/events');
    await listed(2);
    const filter = page.getByLabel('Tenant id, or null for none');
    await filter.fill('acme');
    await filter.press('Enter');
    const ofAcme = await listed(1);
    await filter.fill('null');
    await filter.press('Enter');
    await page.getByRole('link', { name: 'order.of_nobody' }).waitFor();
    const without = await listed(1);
    await visit.client.post('/v1/webhooks', {
      url: 'http://127.0.0.1:9/all',
      events: ['a.b'],
      tenantId: '*',
    });
    await show('/webhooks?tenant=*');
    expect([ofAcme, without, await listed(1)]).to.deep.equal([
      ['order.of_acme'],
      ['order.of_nobody'],
      ['http://127.0.0.1:9/all'],
    ]);
  });

  it('open the portal of a tenant, and end its sessions', async () => {
    await show('/tenants/acme');
    await page.getByRole('button', { name: 'Open portal' }).click();
    await dialog().getByRole('button', { name: 'Create session' }).click();
    const open = dialog().getByRole('link', { name: 'Open portal in a new tab' });
    const { pathname, hash } = new URL((await open.getAttribute('href')) ?? '');
    // The service of the tests does not know its own port, which is part of the link.
    const portal = await visit.newPage();
    await portal.goto(`${visit.service.address}${pathname}${hash}`);
    await portal.getByText('http://127.0.0.1:9/acme').first().waitFor();
    const addable = await portal.getByRole('link', { name: /add/i }).count();
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'End portal sessions' }).click();
    await dialog().getByRole('button', { name: 'End sessions' }).click();
    await page.getByText('1 portal session was ended.').waitFor();
    const token = new URLSearchParams(hash.slice(1)).get('token') ?? '';
    const session = createClient(visit.service.address, token);
    await eventually('the end of the session', async () =>
      (await session.get('/v1/webhooks')).status === unauthorized ? true : null,
    );
    await portal.context().close();
    expect(addable).to.equal(0);
  });

  it('delete a tenant only after a confirmation', async () => {
    await visit.client.put('/v1/tenants/gone', {});
    await show('/tenants/gone');
    await page.getByRole('button', { name: 'Delete tenant' }).click();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    const { status } = await visit.client.get('/v1/tenants/gone');
    await page.getByRole('button', { name: 'Delete tenant' }).click();
    await dialog().getByRole('button', { name: 'Delete tenant' }).click();
    await page.getByText('The tenant was deleted.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Tenants' }).waitFor();
    expect([status, (await visit.client.get('/v1/tenants/gone')).status]).to.deep.equal([200, 404]);
  });

  it('show every column next to the longest id', async () => {
    await visit.client.put(`/v1/tenants/${'x'.repeat(128)}`, {});
    await show('/tenants?search=xxx');
    await listed(1);
    const hidden = await page.evaluate<number>(
      '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".card-table"))',
    );
    expect(hidden).to.equal(0);
  });

  it('save the settings of the portal, with a preview of the accent color in both color schemes', async () => {
    await show('/portal');
    await page.getByLabel('Name').fill('Shop & Co');
    await page.getByLabel(/^Accent color/).fill('#FFCC00');
    await page.getByLabel('Color scheme').selectOption('Dark');
    await page.getByLabel('Origins').fill('http://example.com');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page
      .locator('.field', { hasText: 'Origins' })
      .getByText(/origin such as/)
      .waitFor();
    await page.getByLabel('Origins').fill('https://app.example.com\nhttps://other.example.com');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('The settings were saved.').waitFor();
    const fills = await page.evaluate<readonly string[]>(
      '[...document.querySelectorAll(".preview .button")].map((each) => getComputedStyle(each).backgroundColor)',
    );
    const { portal } = (await visit.client.get('/v1/account')).body;
    expect(portal).to.deep.equal({
      name: 'Shop & Co',
      logoUrl: null,
      accentColor: '#FFCC00',
      colorScheme: 'dark',
      origins: ['https://app.example.com', 'https://other.example.com'],
    });
    expect([new Set(fills).size, fills.at(-1)]).to.deep.equal([2, 'rgb(255, 204, 0)']);
  });
});
