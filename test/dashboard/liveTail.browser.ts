import { expect } from 'chai';
import type { Page, Request } from 'playwright-core';

import { openLine, type BrokenLine } from './support/brokenLine.js';
import { untilListed } from './support/untilListed.js';
import { startVisit, type Visit } from './support/visitor.js';

describe('the live list of events', () => {
  let visit: Visit;
  let line: BrokenLine;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    line = await openLine(visit.service.address);
  });

  beforeEach(async () => {
    line.restore();
    page = await visit.open('/plan');
    await page.goto(`${line.address}/dashboard/events`);
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  });

  afterEach(() => page.context().close());

  const isStream = (request: Request) => request.url().includes('/v1/events/stream');

  /** Starts to follow, and waits until the stream is open. All later events come through the stream. */
  async function follow(): Promise<void> {
    const opened = page.waitForResponse((response) => isStream(response.request()) && response.ok());
    await page.getByRole('button', { name: 'Follow live' }).click();
    await opened;
    await page.getByText('Live updates are on.').waitFor();
  }

  /** Blocks the list, so that all new events come through the stream. */
  async function holdList(): Promise<void> {
    await page.route('**/v1/events?*', () => undefined);
  }

  async function post(type: string): Promise<void> {
    await visit.client.post('/v1/events', { type, data: {} });
  }

  it('shows a new event at the top, without loading the list again', async () => {
    await post('order.before');
    await untilListed(visit.client, '/v1/events', 'order.before');
    await page.reload();
    await page.getByRole('link', { name: 'order.before' }).first().waitFor();
    await follow();
    await holdList();
    await post('order.live');
    await page.getByRole('link', { name: 'order.live' }).waitFor();
    expect(await page.locator('tbody tr .row-link').first().innerText()).to.equal('order.live');
    await page.getByRole('status').getByText('New events in this list: 1.').waitFor();
  });

  it('stops on request, and then shows the missed events', async () => {
    await follow();
    const ended = page.waitForEvent('requestfailed', isStream);
    await page.getByRole('button', { name: 'Stop following' }).click();
    await ended;
    await post('order.meanwhile');
    await follow();
    await page.getByRole('link', { name: 'order.meanwhile' }).waitFor();
  });

  it('shows when the connection was lost, and continues automatically after it has recovered', async () => {
    await follow();
    line.cut();
    await page.getByText('The connection to the service was lost').waitFor();
    await post('order.away');
    line.restore();
    await page.getByRole('link', { name: 'order.away' }).waitFor();
    await page.getByText('The connection to the service was lost').waitFor({ state: 'detached' });
  });

  it('counts only the events that its list shows', async () => {
    const listed = page.waitForResponse((response) => response.url().includes('deliveryStatus=failed'));
    await page.getByLabel('Status').selectOption('Failed');
    await listed;
    await follow();
    await post('order.delivered');
    await untilListed(visit.client, '/v1/events?type=order.delivered', 'order.delivered');
    await page.waitForResponse((response) => response.url().includes('deliveryStatus=failed'));
    await page.waitForResponse((response) => response.url().includes('deliveryStatus=failed'));
    expect(await page.getByText('Waiting for the next event').isVisible()).to.equal(true);
  });

  it('shows that the stream skipped events', async () => {
    await page.route('**/v1/events/stream?*', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: 'event: gap\ndata: {}\n\n' }),
    );
    await page.getByRole('button', { name: 'Follow live' }).click();
    await page.getByText('Some new events are missing in this list.').waitFor();
  });

  it('shows only events of the types in the filter', async () => {
    await page.getByLabel('Id, type or text').fill('order.wanted');
    await page.keyboard.press('Enter');
    await page.getByText('No event matches these filters').waitFor();
    await follow();
    await post('order.other');
    await post('order.wanted');
    await page.getByRole('link', { name: 'order.wanted' }).waitFor();
    expect(await page.getByRole('link', { name: 'order.other' }).count()).to.equal(0);
  });
});
