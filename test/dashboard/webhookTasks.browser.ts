import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';
import { accessibilityFaults } from './support/accessibility.js';
import { seed, type Seeded } from './support/seed.js';
import { startVisit, type Visit } from './support/visitor.js';

describe('the webhooks of an account in the dashboard', () => {
  let visit: Visit;
  let seeded: Seeded;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    seeded = await seed(visit);
  });

  afterEach(() => page.context().close());

  it('can be muted, and their trouble is then shown apart and never as a good state', async () => {
    page = await visit.open(`/webhooks/${seeded.badId}`);
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByLabel('Mute for').selectOption('1 day');
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Mute webhook' }).click();
    await page.getByText('Muted until').waitFor();
    await page.goto(visit.addressOf(''));
    const muted = page.getByRole('table', { name: 'Muted webhooks that do not deliver' });
    await muted.getByRole('link', { name: seeded.bad.url }).waitFor();
    await page.getByText('Only muted webhooks have trouble.').waitFor();
    expect(await page.getByText('No undelivered events.').count()).to.equal(0);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.goto(visit.addressOf(`/webhooks/${seeded.badId}`));
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByRole('button', { name: 'End mute' }).click();
    await page.getByText('Muted until').waitFor({ state: 'detached' });
  });

  it('cause a notification and a badge in the title if their trouble begins while a tab is open', async () => {
    page = await visit.open('/plan');
    await page.context().grantPermissions(['notifications']);
    await page.clock.install();
    await page.goto(visit.addressOf('/plan'));
    const looked = page.waitForResponse((response) => response.url().includes('include=health'));
    await page.getByLabel('Notify me about new trouble').first().check();
    await looked;
    const receiver = await startReceiver((_request, response) => response.writeHead(500).end());
    const { body } = await visit.client.post('/v1/webhooks', { url: receiver.url, events: ['news.posted'] });
    await visit.client.post('/v1/events', { type: 'news.posted', data: {} });
    await eventually('a failed attempt', async () => {
      const { text } = await visit.client.get('/v1/events?type=news.posted&deliveryStatus=retrying');
      return text.includes('evt_') ? true : null;
    });
    await page.clock.runFor(61_000);
    await eventually('a badge in the title', async () =>
      (await page.title()).startsWith('(1) ') ? true : null,
    );
    await visit.client.delete(`/v1/webhooks/${String(body['id'])}`);
    await receiver.close();
  });

  it('show the end and the age of the secret, and how long the previous secret signs', async () => {
    const secret = String(
      (await visit.client.post(`/v1/webhooks/${seeded.goodId}/rotate-secret`, { expiresIn: 3600 })).body[
        'secret'
      ],
    );
    page = await visit.open(`/webhooks/${seeded.goodId}`);
    await page.getByText(`ends with ${secret.slice(-4)}`).waitFor();
    await page.getByText('The previous secret also signs until').waitFor();
  });

  it('have plots and figures of a time range in the address', async () => {
    page = await visit.open(`/webhooks/${seeded.goodId}`);
    await page.getByRole('heading', { name: 'Last 24 hours' }).waitFor();
    await page.getByRole('radio', { name: '90 days' }).check();
    await page.getByRole('heading', { name: 'Last 90 days' }).waitFor();
    expect(page.url()).to.contain('range=quarter');
    // The page draws the plots after it has loaded the figures.
    await eventually('both plots', async () =>
      (await page.locator('.plot canvas').count()) === 2 ? true : null,
    );
  });

  it('have names, and can be found and sorted', async () => {
    page = await visit.open(`/webhooks/${seeded.goodId}`);
    await page.getByRole('button', { name: 'Edit webhook' }).click();
    await page.getByLabel('Name').fill('Order service');
    await page.getByRole('button', { name: 'Save webhook' }).click();
    await page.getByRole('heading', { level: 1, name: 'Order service' }).waitFor();
    await page.goto(visit.addressOf('/webhooks'));
    await page.getByRole('link', { name: 'Order service' }).waitFor();
    const links = page.locator('tbody .row-link');
    expect(await links.count()).to.equal(3);
    await page.getByLabel('Sort').selectOption('Newest first');
    await eventually('the order of the links', async () =>
      (await links.last().innerText()) === 'Order service' ? true : null,
    );
    await page.getByLabel('Name, URL or description').fill('order SERV');
    await page.getByText(seeded.bad.url).waitFor({ state: 'detached' });
    expect(await links.allInnerTexts()).to.deep.equal(['Order service']);
    expect(page.url()).to.contain('search=order+SERV');
  });

  it('get a secret of another system and headers, whose values no page shows', async () => {
    const receiver = await startReceiver();
    const [name, value] = ['X-Api-Key', 'planted-5f2b8c'];
    page = await visit.open('/webhooks/new');
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('Use a secret from another system').fill('whsec_short');
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.getByLabel('Name of header 1').fill('host');
    await page.getByLabel('Value of header 1').fill(value);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('base64 alone, of 24 to 64 bytes').waitFor();
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    await page.getByLabel('Use a secret from another system').fill(secret);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('the service sets this header itself').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByLabel('Name of header 1').fill(name);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('heading', { name: 'Your webhook is ready' }).waitFor();
    await page.getByText(secret).first().waitFor();
    await page.getByRole('link', { name: 'Continue to test event' }).click();
    await page.getByRole('button', { name: 'Send test event' }).click();
    const [request] = await receiver.received(1);
    expect(request?.headers).to.include({ 'x-api-key': value });
    const { text } = await visit.client.get('/v1/webhooks?limit=1');
    const id = String((JSON.parse(text) as { data: { id: string }[] }).data[0]?.id);
    await page.goto(visit.addressOf(`/webhooks/${id}`));
    await page.getByText('x-api-key: ***').waitFor();
    await page.getByRole('button', { name: 'Edit webhook' }).click();
    expect(await page.getByLabel('Value of header 1').inputValue()).to.equal('');
    await page.getByRole('button', { name: 'Save webhook' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('x-api-key: ***').waitFor();
    await page.getByRole('button', { name: 'Edit webhook' }).click();
    await page.getByRole('button', { name: 'Remove header 1' }).click();
    await page.getByRole('button', { name: 'Save webhook' }).click();
    await page.getByText('x-api-key: ***').waitFor({ state: 'detached' });
    expect(await page.content()).not.to.include(value);
  });
});
