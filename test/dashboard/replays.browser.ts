import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { accessibilityFaults } from './support/accessibility.js';
import { untilListed } from './support/untilListed.js';
import { startVisit, type Visit } from './support/visitor.js';

const eventCount = 3;

describe('the replays of a webhook in the dashboard', () => {
  let visit: Visit;
  let receiver: Receiver;
  let status: number;
  /** The responses that the receiver has not sent yet, while it is slow. */
  let waiting: (() => void)[] | null;
  let webhookId: string;
  let eventIds: readonly string[];
  let page: Page;

  before(async () => {
    visit = await startVisit();
  });

  beforeEach(async () => {
    status = 500;
    waiting = null;
    receiver = await startReceiver((_request, response) => {
      const answer = () => response.writeHead(status).end();
      if (waiting === null) {
        answer();
      } else {
        waiting.push(answer);
      }
    });
    const { body } = await visit.client.post('/v1/webhooks', { url: receiver.url, events: ['order.paid'] });
    webhookId = String(body['id']);
    eventIds = await post(eventCount);
    await untilCounted('retrying', eventCount);
  });

  afterEach(async () => {
    await page.context().close();
    await visit.client.delete(`/v1/webhooks/${webhookId}`);
    await receiver.close();
  });

  async function post(count: number): Promise<readonly string[]> {
    const answers = await Promise.all(
      Array.from({ length: count }, () => visit.client.post('/v1/events', { type: 'order.paid', data: {} })),
    );
    return answers.map(({ body }) => String(body['id']));
  }

  async function untilCounted(name: 'retrying' | 'canceled', count: number): Promise<void> {
    await eventually(`${count} ${name} deliveries`, async () => {
      const { body } = await visit.client.get(`/v1/webhooks/${webhookId}/health`);
      return body[name] === count ? true : null;
    });
  }

  /** Waits for the first retries. The next ones come minutes later, so they do not disturb the test. */
  async function untilRetried(): Promise<void> {
    await eventually('a retry of each delivery', async () => {
      const { text } = await visit.client.get(`/v1/events?webhookId=${webhookId}&deliveryStatus=retrying`);
      return text.includes('"attemptCount":1,') ? null : true;
    });
  }

  it('show their progress on the page of the webhook without a reload', async () => {
    status = 200;
    waiting = [];
    const since = new Date(0).toISOString();
    await visit.client.post('/v1/replays', { webhookId, since, only: 'open' });
    page = await visit.open(`/webhooks/${webhookId}`);
    await page
      .getByText(/^Sent: 0 delivered, 0 failed, (3 still open, )?of (at most )?3 events\.$/)
      .waitFor();
    expect(await page.getByRole('link', { name: 'Show all replays' }).count()).to.equal(1);
    // Without a response, the attempts time out after 15 s.
    const answers = waiting;
    waiting = null;
    answers.forEach((answer) => {
      answer();
    });
    await page.getByText('Sent: 3 delivered, 0 failed, of 3 events.').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('are in progress until all their deliveries have ended', async () => {
    const since = new Date(0).toISOString();
    await visit.client.post('/v1/replays', { webhookId, since, only: 'open' });
    page = await visit.open(`/webhooks/${webhookId}`);
    await page.getByText('Sent: 0 delivered, 0 failed, 3 still open, of 3 events.').waitFor();
    const replay = page.getByRole('article').filter({ hasText: '3 still open' });
    expect(await replay.locator('.badge').allInnerTexts()).to.deep.equal(['In progress']);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('say how many events were sent, and how many had ended after the user was asked', async () => {
    await untilRetried();
    page = await visit.open(`/webhooks/${webhookId}/recover`);
    await page.getByRole('button', { name: 'Retry all 3 deliveries' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The service sends at most 3 events.').waitFor();
    status = 200;
    await visit.client.post(`/v1/events/${eventIds[0] ?? ''}/resend`, { webhookId });
    await eventually('the resent delivery', async () => {
      const { text } = await visit.client.get(`/v1/events?webhookId=${webhookId}&deliveryStatus=delivered`);
      return text.includes(eventIds[0] ?? '') ? true : null;
    });
    await dialog.getByRole('button', { name: 'Send 3 events' }).click();
    await page
      .getByText('Sent: 2 delivered, 0 failed, of 2 events. 1 event had ended meanwhile and was not sent.')
      .waitFor();
  });

  it('send as many events as the button and the dialog name, without events that were never sent', async () => {
    await visit.client.patch(`/v1/webhooks/${webhookId}`, { status: 'disabled' });
    await untilCounted('canceled', eventCount);
    const [omittedId = ''] = await post(1);
    // Delivery reads the webhooks when it takes up an event.
    await untilListed(visit.client, `/v1/events/${omittedId}`, '"deliveriesComplete":true');
    await visit.client.patch(`/v1/webhooks/${webhookId}`, { status: 'active' });
    await post(2);
    await untilCounted('retrying', 2);
    await untilRetried();
    const before = receiver.requests.length;
    status = 200;
    page = await visit.open(`/webhooks/${webhookId}/recover`);
    await page.getByRole('button', { name: 'Retry 2 open deliveries' }).waitFor();
    await page.getByRole('button', { name: 'Retry all 5 deliveries' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The service sends at most 5 events.').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await dialog.getByRole('button', { name: 'Send 5 events' }).click();
    await page.getByText('Sent: 2 delivered, 0 failed, of 2 events.').waitFor();
    await page.getByText('Sent: 3 delivered, 0 failed, of 3 events.').waitFor();
    await page.getByText('No delivery is failed, canceled, waiting or being retried.').waitFor();
    expect(receiver.requests.length - before).to.equal(5);
  });
});
