import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { startReceiver, type Receiver } from '../support/receiver.js';
import { accessibilityFaults } from './support/accessibility.js';
import { untilListed } from './support/untilListed.js';
import { startVisit, type Visit } from './support/visitor.js';

const data = '{"orderId": "ord_1", "amount": 12345678901234567890.10}';
const response = 'Unknown order type';

describe('a developer who integrates a receiver with the dashboard', () => {
  let visit: Visit;
  let receiver: Receiver;
  let status = 200;
  let webhookId: string;
  let secret: string;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    receiver = await startReceiver((_request, answer) => {
      answer.writeHead(status, { 'x-receiver': 'orders' }).end(response);
    });
    const body = { url: receiver.url, events: ['order.completed', 'user.*'], name: 'Order service' };
    const { body: webhook } = await visit.client.post('/v1/webhooks', body);
    webhookId = String(webhook['id']);
    secret = String(webhook['secret']);
  });

  afterEach(() => page.context().close());

  /** The request of an event to the receiver. */
  async function requestOf(type: string) {
    const isWanted = ({ body }: { readonly body: Buffer }) => body.toString().includes(`"type":"${type}"`);
    for (let count = 1; ; count += 1) {
      const found = (await receiver.received(count)).find(isWanted);
      if (found !== undefined) {
        return found;
      }
    }
  }

  it('posts an event with the entered type and data, with three clicks', async () => {
    page = await visit.open('');
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('link', { name: 'Post event' }).click();
    await page.getByRole('heading', { level: 1, name: 'Post event' }).waitFor();
    await page.getByLabel('Event type').fill('order.completed');
    await page.getByLabel('Data').fill(data);
    await page.getByRole('button', { name: 'Post event' }).click();
    await page.getByRole('heading', { level: 1, name: 'order.completed' }).waitFor();
    await page.getByRole('article').getByText('Delivered', { exact: true }).waitFor();
    expect((await requestOf('order.completed')).body.toString()).to.contain(`"data":${data}}`);
  });

  it('sees which field of an event is wrong, and posts nothing', async () => {
    page = await visit.open('/events/new');
    let posts = 0;
    page.on('request', (request) => {
      posts += request.method() === 'POST' ? 1 : 0;
    });
    await page.getByLabel('Event type').fill('order completed');
    await page.getByLabel('Data').fill('{"a": }');
    await page.getByRole('button', { name: 'Post event' }).click();
    await page.getByText('An event type consists of words').waitFor();
    await page.getByText('The data is not valid JSON.').waitFor();
    expect(posts).to.equal(0);
    expect(await page.getByLabel('Data').getAttribute('aria-invalid')).to.equal('true');
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('sends a test event of any type with edited data, and sees the response on the same page, with the keyboard alone', async () => {
    status = 422;
    page = await visit.open(`/webhooks/${webhookId}`);
    await page.getByRole('link', { name: 'Send test event' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Send test event' }).waitFor();
    expect(await page.getByLabel('Event type').inputValue()).to.equal('order.completed');
    await page.getByLabel('Event type').focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('invoice.paid');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+a');
    await page.keyboard.type(data);
    await page.getByRole('button', { name: 'Send test event' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('The delivery failed after').waitFor();
    await page.getByText(response).waitFor();
    await page.getByText('x-receiver: orders').waitFor();
    expect((await requestOf('invoice.paid')).body.toString()).to.contain(`"data":${data}}`);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    status = 200;
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByRole('status').getByText('The receiver accepted the event').waitFor();
  });

  it('fills in the data of the newest event of a type', async () => {
    await visit.client.post('/v1/events', '{"type":"user.signup","data":{"id":1.50}}');
    await untilListed(visit.client, '/v1/events', 'user.signup');
    page = await visit.open(`/webhooks/${webhookId}/test`);
    await page.getByLabel('Event type').fill('user.signup');
    await page.getByRole('button', { name: 'Fill in newest event' }).click();
    await page.getByText('The data of the newest user.signup is filled in.').waitFor();
    expect(await page.getByLabel('Data').inputValue()).to.equal('{\n  "id": 1.50\n}');
    await page.getByLabel('Event type').fill('never.posted');
    await page.getByRole('button', { name: 'Fill in newest event' }).click();
    await page.getByText('No event has the type never.posted.').waitFor();
  });

  it('finds sample code in its language, and copies it', async () => {
    page = await visit.open(`/webhooks/${webhookId}`);
    await page.getByRole('link', { name: 'Verify signatures' }).click();
    for (const [language, code] of [
      ['TypeScript', 'body: Buffer'],
      ['Node.js', 'createHmac'],
      ['Python', 'def is_genuine'],
      ['Go', 'func isGenuine'],
      ['Java', 'static boolean isGenuine'],
    ] as const) {
      await page.getByRole('radio', { name: language }).check();
      await page
        .getByRole('region', { name: `Sample code for ${language}` })
        .getByText(code)
        .waitFor();
      expect(await accessibilityFaults(page), language).to.deep.equal([]);
    }
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy code' }).click();
    await page.getByText('Copied the code.').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).to.contain('class Deliveries');
  });

  it('checks a real request in the browser, and sees why a signature does not match', async () => {
    await visit.client.post('/v1/events', { type: 'user.changed', data: { name: 'Ada', list: [1, 2] } });
    const { headers, body } = await requestOf('user.changed');
    page = await visit.open(`/webhooks/${webhookId}/verify`);
    const sent: string[] = [];
    page.on('request', (request) => {
      sent.push(`${request.url()} ${request.postData() ?? ''}`);
    });
    const results = page.locator('.findings');
    const check = async (given: string, title: string) => {
      await page.getByLabel('Body').fill(given);
      await page.getByRole('button', { name: 'Check signature' }).click();
      await results.getByText(title).waitFor();
    };
    await page.getByLabel('Signing secret').fill(secret);
    await page.getByLabel('Headers').fill(JSON.stringify(headers, null, 2));
    await check(body.toString(), 'The signature matches.');
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await check(`${body.toString()}\n`, 'Whitespace was added or removed around the body.');
    await check(JSON.stringify(JSON.parse(body.toString()), null, 2), 'The JSON was formatted again.');
    await check(body.toString().replace('Ada', 'Eve'), 'The body was changed.');
    await page.getByLabel('Signing secret').fill('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    await check(body.toString(), 'The secret is wrong.');
    await results.getByText(`ends with ${secret.slice(-4)}`).waitFor();
    expect(sent.filter((text) => text.includes(secret) || text.includes('Eve'))).to.deep.equal([]);
  });
});
