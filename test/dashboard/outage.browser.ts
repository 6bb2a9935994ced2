import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';

import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startVisit, type Visit } from './support/visitor.js';

const undelivered = 'No undelivered events.';
const unknown = 'The state of the deliveries is unknown.';
const unavailable = {
  status: 503,
  json: { error: { code: 'service_unavailable', message: 'Unavailable.' } },
};

describe('an open page of the dashboard while the service has trouble', () => {
  let visit: Visit;
  let receiver: Receiver;
  let webhookId: string;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    receiver = await startReceiver();
    const { body } = await visit.client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    webhookId = String(body['id']);
    await visit.client.post('/v1/events', { type: 'order.completed', data: {} });
    await eventually('a delivery', async () => {
      const { text } = await visit.client.get('/v1/events?deliveryStatus=delivered');
      return text.includes('evt_') ? true : null;
    });
  });

  beforeEach(async () => {
    page = await visit.open('/plan');
  });

  afterEach(() => page.context().close());

  async function setStatus(status: 'active' | 'disabled'): Promise<void> {
    const { status: answered } = await visit.client.patch(`/v1/webhooks/${webhookId}`, { status });
    expect(answered).to.equal(200);
  }

  async function openOverview(): Promise<void> {
    await page.clock.install();
    await page.goto(visit.addressOf('?range=minute'));
    await page.getByText(undelivered).waitFor();
  }

  it('takes the sentence without trouble back when the service no longer responds, and shows the last good time', async () => {
    await openOverview();
    await page.route('**/v1/webhooks?*', (route) => route.fulfill(unavailable));
    await page.clock.fastForward(11_000);
    await eventually('a failed refresh', async () => {
      await page.clock.runFor(1000);
      return (await page.getByText(unknown).count()) === 1 ? true : null;
    });
    expect(await page.getByText(undelivered).count()).to.equal(0);
    await page.getByText('The last good response arrived on').waitFor();
    await page.unroute('**/v1/webhooks?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(undelivered).waitFor();
    expect(await page.getByText('The last good response arrived on').count()).to.equal(0);
  });

  it('takes the sentence back when a response does not arrive at all', async () => {
    await openOverview();
    await page.route('**/v1/webhooks?*', () => undefined);
    await page.clock.fastForward(11_000);
    await eventually('an unknown state', async () => {
      await page.clock.runFor(1000);
      return (await page.getByText(unknown).count()) === 1 ? true : null;
    });
    expect(await page.getByText(undelivered).count()).to.equal(0);
  });

  for (const [what, address] of [
    ['the webhooks', '**/v1/webhooks?*'],
    ['the health', '**/v1/webhooks?*include=health*'],
  ] as const) {
    it(`never shows the sentence without trouble if the request for ${what} fails`, async () => {
      await page.route(address, (route) => route.fulfill({ status: 500, json: {} }));
      await page.goto(visit.addressOf(''));
      await page.getByRole('heading', { name: 'Figures' }).waitFor();
      await page.getByRole('alert').getByText('status 500').first().waitFor();
      expect(await page.getByText(undelivered).count()).to.equal(0);
    });
  }

  it('shows unknown numbers as unknown in the list of webhooks', async () => {
    await page.route('**/v1/webhooks?*include=health*', (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(visit.addressOf('/webhooks'));
    await page.getByRole('cell', { name: 'Unknown', exact: true }).waitFor();
    await page.getByRole('alert').getByText('status 500').waitFor();
  });

  it('loads with responses that take 6 s, and has one load in flight', async () => {
    let inFlight = 0;
    let most = 0;
    await page.route('**/v1/stats/deliveries?*', async (route: Route) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await pause(6000);
      inFlight -= 1;
      await route.continue().catch(() => undefined);
    });
    await page.goto(visit.addressOf('?range=minute'));
    await page.getByRole('heading', { name: 'Figures' }).waitFor();
    await page.waitForRequest('**/v1/stats/deliveries?*');
    expect(most).to.equal(1);
  });

  it('asks again while the deliveries of an event are unknown, however old it is', async () => {
    const { body } = await visit.client.post('/v1/events', { type: 'order.completed', data: {} });
    const id = String(body['id']);
    let areKnown = false;
    await page.route(`**/v1/events/${id}`, async (route) => {
      const response = await route.fetch();
      const event = (await response.json()) as object;
      const unknown = { ...event, deliveries: [], deliveriesComplete: false };
      await route.fulfill({ response, json: areKnown ? event : unknown });
    });
    await page.clock.install();
    await page.goto(visit.addressOf(`/events/${id}`));
    await page.getByText('Deliveries are not known yet').waitFor();
    await page.clock.runFor(120_000);
    areKnown = true;
    await eventually('the delivery', async () => {
      await page.clock.runFor(1000);
      return (await page.getByRole('article').getByText('Delivered', { exact: true }).count()) > 0
        ? true
        : null;
    });
  });

  it('shows the time of the last good counts while only the counts are unknown', async () => {
    await openOverview();
    await page.route('**/v1/webhooks?*include=health*', (route) => route.fulfill(unavailable));
    await eventually('unknown counts', async () => {
      await page.clock.runFor(1000);
      return (await page.getByText('The last good counts arrived on').count()) === 1 ? true : null;
    });
    expect(await page.getByText(undelivered).count()).to.equal(0);
  });

  it('shows within a minute that a webhook was disabled', async () => {
    await page.clock.install();
    await page.goto(visit.addressOf('/webhooks'));
    await page.getByText('Active', { exact: true }).waitFor();
    await setStatus('disabled');
    await page.clock.fastForward(31_000);
    await page.getByText('Disabled', { exact: true }).waitFor();
    await setStatus('active');
  });

  it('sends no requests while its tab is hidden, and refreshes when the tab is visible again', async () => {
    await openOverview();
    let count = 0;
    await page.route('**/v1/**', (route) => {
      count += 1;
      return route.continue();
    });
    const show = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${String(isHidden)}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await show(true);
    // A request of the last refresh may have begun before.
    count = 0;
    await page.clock.fastForward(120_000);
    await page.getByText(undelivered).waitFor({ state: 'detached' });
    expect(count).to.equal(0);
    await show(false);
    await page.getByText(undelivered).waitFor();
    expect(count).to.be.above(0);
  });

  it('says that a webhook has no attempts yet, instead of a green status', async () => {
    const { body } = await visit.client.post('/v1/webhooks', { url: receiver.url, events: ['never.posted'] });
    await page.goto(visit.addressOf(`/webhooks/${String(body['id'])}`));
    await page.getByText('Active, no attempts yet').waitFor();
    expect(await page.locator('.badge-good').count()).to.equal(0);
  });
});
