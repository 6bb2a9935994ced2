import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { createClient } from '../support/client.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { untilListed } from './support/untilListed.js';
import { password, startVisit, type Visit } from './support/visitor.js';

describe('a user with a new sign-in link', () => {
  let visit: Visit;
  let receiver: Receiver;
  let page: Page;

  before(async () => {
    receiver = await startReceiver();
    visit = await startVisit();
    page = await visit.newPage();
  });

  it('can deliver a first event by following the page alone', async () => {
    await page.goto(visit.signInUrl);
    await page.getByLabel('Your name').fill('Grace Hopper');
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();

    await page.getByRole('heading', { name: 'Your first delivery' }).waitFor();
    await page.getByRole('link', { name: 'Create key' }).click();
    const key = await createKey(page);

    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('link', { name: 'Add webhook' }).first().click();
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    expect(await page.locator('.secret-text').textContent()).to.match(/^whsec_/);

    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByText('No events yet').waitFor();
    const { body } = await createClient(visit.service.address, key).post('/v1/events', {
      type: 'order.completed',
      data: { orderId: 'ord_1' },
    });
    await receiver.received(1);
    await untilListed(visit.client, '/v1/events', 'order.completed');

    await page.reload();
    await page.getByRole('link', { name: 'order.completed' }).click();
    await page.getByRole('article').getByText('Delivered', { exact: true }).waitFor();
    expect(page.url()).to.equal(visit.addressOf(`/events/${String(body['id'])}`));
  });

  it('gets an error for a link that was already used', async () => {
    const other = await visit.newPage();
    await other.goto(visit.signInUrl);
    await other.getByLabel('New password').fill(password);
    await other.getByRole('button', { name: 'Set password and sign in' }).click();
    await other.getByRole('alert').getByText('The sign-in link was already used').waitFor();
  });

  it('can sign out, and gets an error for a wrong password', async () => {
    const { email } = (await page.request
      .get(`${visit.service.address}/v1/account`)
      .then((answer) => answer.json())) as { email: string };
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill('not the password at all');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('password is wrong').waitFor();
  });
});

/** Creates a key, and reads it from the dialog that shows it once. */
async function createKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('Shop');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const key = (await page.locator('.secret-text').textContent()) ?? '';
  expect(await page.getByRole('region', { name: 'command' }).textContent()).to.contain(`Bearer ${key}`);
  await page.getByRole('button', { name: 'I have copied the key' }).click();
  return key;
}
