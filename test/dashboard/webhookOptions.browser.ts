import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { startReceiver, type Receiver } from '../support/receiver.js';
import { accessibilityFaults } from './support/accessibility.js';
import { startVisit, type Visit } from './support/visitor.js';

describe('the options of a webhook in the dashboard', () => {
  let visit: Visit;
  let page: Page;
  let receiver: Receiver;
  let id: string;

  before(async () => {
    visit = await startVisit();
    receiver = await startReceiver();
    const { body } = await visit.client.post('/v1/webhooks', {
      url: receiver.url,
      events: ['order.*'],
      filter: { data: { amount: { $gte: 100 } } },
      headers: { 'x-api-key': 'planted-5f2b8c' },
    });
    id = String(body['id']);
  });

  afterEach(() => page.context().close());

  it('show in a preview whether the webhook gets an event, and the request with masked credentials', async () => {
    page = await visit.open(`/webhooks/${id}`);
    await page.getByRole('link', { name: 'Preview event' }).click();
    await page.getByLabel('Event type').fill('order.completed');
    await page.getByLabel('Data').fill('{"amount": 99}');
    await page.getByRole('button', { name: 'Show request' }).click();
    await page.getByText('This condition fails: filter.data.amount').waitFor();
    await page.getByLabel('Data').fill('{"amount": 100}');
    await page.getByText('The request appears here.').waitFor();
    await page.getByRole('button', { name: 'Show request' }).click();
    await page.getByText('The webhook gets this event.').waitFor();
    const request = await page.getByRole('region', { name: 'request', exact: true }).innerText();
    expect(request).to.include(`POST ${receiver.url}`).and.to.include('x-api-key: ***');
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    expect(receiver.requests).to.deep.equal([]);
  });

  it('try another filter on earlier events', async () => {
    await visit.client.post('/v1/events', { type: 'order.completed', data: { amount: 1 } });
    await visit.client.post('/v1/events', { type: 'order.completed', data: { amount: 2 } });
    page = await visit.open(`/webhooks/${id}/preview`);
    await page.getByRole('textbox', { name: 'Filter' }).fill('{"data": {"amount": {"$gt": 1, "$gte": "b"}}}');
    await page.getByRole('button', { name: 'Try filter' }).click();
    await page.getByText('filter.data.amount').first().waitFor();
    await page.getByRole('textbox', { name: 'Filter' }).fill('{"data": {"amount": {"$gt": 1}}}');
    await page.getByRole('button', { name: 'Try filter' }).click();
    await page.getByText('The filter matches 1 of 2 events.').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('authenticate in four ways, whose credentials no page shows, and in none again', async () => {
    page = await visit.open(`/webhooks/${id}`);
    const edit = async () => {
      await page.getByRole('button', { name: 'Edit webhook' }).click();
      return page.getByLabel('Authentication', { exact: true });
    };
    const save = async () => {
      await page.getByRole('button', { name: 'Save webhook' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await (await edit()).selectOption('Bearer token');
    await page.getByLabel('Token').fill('planted-token');
    await save();
    await page.getByText('Bearer token').waitFor();
    await (await edit()).selectOption('User name and password');
    await page.getByRole('button', { name: 'Save webhook' }).click();
    await page.getByText('Enter a user name without colons.').waitFor();
    await page.getByLabel('User name').and(page.locator(':focus')).waitFor();
    await page.getByLabel('User name').fill('shop');
    await page.getByLabel('Password').fill('planted-password');
    await save();
    await page.getByText('User name and password').waitFor();
    await (await edit()).selectOption('OAuth 2.0 client credentials');
    await page.getByLabel('Token URL').fill('https://192.0.2.1/#token');
    await page.getByLabel('Client ID').fill('shop');
    await page.getByLabel('Client secret').fill('planted-secret');
    await page.getByRole('button', { name: 'Save webhook' }).click();
    await page.getByText('Enter the whole URL of the token endpoint').waitFor();
    await page.getByLabel('Token URL').fill(`${receiver.url}/token`);
    await save();
    await page.getByText('Client ID: shop').waitFor();
    await (await edit()).selectOption('Client certificate (mTLS)');
    await page.getByLabel('Certificate', { exact: true }).fill('-----BEGIN CERTIFICATE-----');
    await page.getByLabel('Private key').fill('-----BEGIN PRIVATE KEY-----');
    await page.getByRole('button', { name: 'Save webhook' }).click();
    // Only the API can read a certificate.
    await page.getByText('auth.certificate must be').waitFor();
    await page.getByLabel('Certificate', { exact: true }).and(page.locator(':focus')).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByLabel('Authentication', { exact: true }).selectOption('Signature only');
    await save();
    await page.getByText('Client ID: shop').waitFor({ state: 'detached' });
    expect(await page.content()).not.to.match(/planted/);
  });
});
