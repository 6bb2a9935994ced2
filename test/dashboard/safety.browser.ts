import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { eventually } from '../support/eventually.js';
import { untilListed } from './support/untilListed.js';
import { startVisit, type Visit } from './support/visitor.js';

describe('the dashboard’s protection against mistakes', () => {
  let visit: Visit;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    await visit.client.post('/v1/events', { type: 'order.live', data: {} });
    await visit.testClient.post('/v1/events', { type: 'order.test', data: {} });
    await visit.client.post('/v1/webhooks', { url: 'http://127.0.0.1:1/live', events: ['*'] });
    await visit.client.post('/v1/api-keys', { name: 'Shop' });
    await untilListed(visit.client, '/v1/events', 'order.live');
    await untilListed(visit.testClient, '/v1/events', 'order.test');
  });

  afterEach(() => page.context().close());

  it('shows the data of one mode alone', async () => {
    page = await visit.open('/events');
    await page.getByRole('link', { name: 'order.live' }).waitFor();
    expect(await page.getByRole('link', { name: 'order.test' }).count()).to.equal(0);
    await page.getByRole('navigation', { name: 'Mode' }).getByRole('link', { name: 'Test' }).click();
    await page.getByRole('link', { name: 'order.test' }).waitFor();
    expect(await page.getByRole('link', { name: 'order.live' }).count()).to.equal(0);
  });

  it('creates a key in the mode that is shown', async () => {
    page = await visit.open('/test/api-keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('Trial');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    expect(await page.locator('.secret-text').textContent()).to.match(/^sk_test_/);
  });

  it('shows a secret once', async () => {
    page = await visit.open('/api-keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('Once');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const secret = (await page.locator('.secret-text').textContent()) ?? '';
    await page.getByRole('button', { name: 'I have copied the key' }).click();
    await page.getByRole('button', { name: 'Delete key Once' }).waitFor();
    const kept = await page.evaluate<string>(
      'document.documentElement.outerHTML + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)',
    );
    expect([secret.startsWith('sk_live_'), kept.includes(secret)]).to.deep.equal([true, false]);
  });

  for (const [place, button, deed, what] of [
    ['/api-keys', 'Delete key Shop', 'Delete key', 'a key'],
    ['/webhooks', 'Delete webhook', 'Delete webhook', 'a webhook'],
  ] as const) {
    it(`deletes ${what} only after a confirmation`, async () => {
      page = await visit.open(place);
      const deletions: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'DELETE') {
          deletions.push(request.url());
        }
      });
      if (place === '/webhooks') {
        await page.getByRole('link', { name: 'http://127.0.0.1:1/live' }).click();
      }
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const before = deletions.length;
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('dialog').getByRole('button', { name: deed }).click();
      await page.getByText(/was deleted\.$/).waitFor();
      expect([before, deletions.length]).to.deep.equal([0, 1]);
    });
  }

  it('moves the focus to the heading if the focused element was deleted', async () => {
    await visit.client.post('/v1/api-keys', { name: 'Short lived' });
    page = await visit.open('/api-keys');
    await page.getByRole('button', { name: 'Delete key Short lived' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click();
    await page.getByRole('button', { name: 'Delete key Short lived' }).waitFor({ state: 'detached' });
    await eventually('the focus at the heading', async () =>
      (await page.evaluate<string>('document.activeElement.tagName')) === 'H1' ? true : null,
    );
  });
});
