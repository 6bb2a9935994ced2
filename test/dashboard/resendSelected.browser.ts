import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { accessibilityFaults } from './support/accessibility.js';
import { untilListed } from './support/untilListed.js';
import { startVisit, type Visit } from './support/visitor.js';

const types = ['order.first', 'order.second', 'order.third'];

describe('a resend of selected events in the dashboard', () => {
  let visit: Visit;
  let receiver: Receiver;
  let webhookId: string;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    receiver = await startReceiver();
    const body = { url: receiver.url, events: ['order.*'], name: 'Order service' };
    webhookId = String((await visit.client.post('/v1/webhooks', body)).body['id']);
    for (const type of types) {
      await visit.client.post('/v1/events', { type, data: {} });
    }
    await receiver.received(types.length);
    await eventually('the deliveries', async () => {
      const { body: list } = await visit.client.get('/v1/events?deliveryStatus=delivered');
      return (list['data'] as readonly unknown[]).length === types.length ? true : null;
    });
  });

  afterEach(() => page.context().close());

  /** The types of the requests after the first `count` requests. */
  function typesAfter(count: number): readonly string[] {
    return receiver.requests
      .slice(count)
      .map(({ body }) => (JSON.parse(body.toString()) as { readonly type: string }).type)
      .toSorted();
  }

  it('sends exactly the events with a check mark, with the keyboard alone', async () => {
    const before = receiver.requests.length;
    page = await visit.open('/events');
    await page.getByLabel('Select order.first').focus();
    await page.keyboard.press('Space');
    await page.getByLabel('Select order.third').focus();
    await page.keyboard.press('Space');
    await page.getByRole('status').getByText('2 events selected.').waitFor();
    await page.getByRole('button', { name: 'Resend selected events' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Resend events' });
    await dialog.getByText('0 of 2 selected events match.').waitFor();
    expect(await dialog.getByRole('button', { name: /^Send/ }).count()).to.equal(0);
    await dialog.getByLabel('All events, also delivered ones').focus();
    await page.keyboard.press('Space');
    await dialog.getByText('2 of 2 selected events match.').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await dialog.getByRole('button', { name: 'Send 2 events' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Recover' }).waitFor();
    await page.getByText('2 chosen events').waitFor();
    await receiver.received(before + 2);
    expect(typesAfter(before)).to.deep.equal(['order.first', 'order.third']);
  });

  it('sends all events that match the filters', async () => {
    const before = receiver.requests.length;
    page = await visit.open(`/events?type=order.second&webhook=${webhookId}&within=hour`);
    await page.getByRole('button', { name: 'Resend all that match' }).click();
    await page.getByLabel('All events, also delivered ones').check();
    await page.getByRole('button', { name: 'Send 1 event' }).click();
    await page.getByRole('heading', { level: 1, name: 'Recover' }).waitFor();
    await receiver.received(before + 1);
    expect(typesAfter(before)).to.deep.equal(['order.second']);
  });

  it('selects and clears the page with one check box', async () => {
    page = await visit.open('/events');
    await page.getByLabel('Select page').check();
    await page.getByText('3 events selected.').waitFor();
    expect(await page.getByLabel('Select order.second').isChecked()).to.equal(true);
    await page.getByRole('button', { name: 'Clear selection' }).click();
    expect(await page.getByLabel('Select page').isChecked()).to.equal(false);
  });

  it('counts and sends nothing before the user has chosen one of several webhooks', async () => {
    const { body } = await visit.client.post('/v1/webhooks', { url: receiver.url, events: ['other.type'] });
    page = await visit.open('/events');
    await page.getByLabel('Select page').check();
    await page.getByRole('button', { name: 'Resend selected events' }).click();
    await page.getByText('Choose the webhook that gets the events.').waitFor();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: /^Send/ }).count()).to.equal(0);
    await dialog.getByLabel('Webhook', { exact: true }).selectOption({ label: 'Order service' });
    await dialog.getByText('0 of 3 selected events match.').waitFor();
    await visit.client.delete(`/v1/webhooks/${String(body['id'])}`);
  });

  it('is not offered as a whole for a text search, and has no check boxes in test mode', async () => {
    page = await visit.open('/events?search=evt_');
    await page.getByRole('button', { name: 'Resend all that match' }).click();
    await page.getByText('A text search cannot be resent as a whole.').waitFor();
    expect(await page.getByRole('dialog').count()).to.equal(0);
    await visit.testClient.post('/v1/events', { type: 'order.test', data: {} });
    await untilListed(visit.testClient, '/v1/events', 'order.test');
    await page.goto(visit.addressOf('/test/events'));
    await page.getByRole('link', { name: 'order.test' }).waitFor();
    expect(await page.locator('main').getByRole('checkbox').count()).to.equal(0);
  });
});
