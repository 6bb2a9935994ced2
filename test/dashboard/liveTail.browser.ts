import { expect } from 'chai';
import type { Page, Request } from 'playwright-core';

import { openLine, type BrokenLine } from './support/brokenLine.js';
import { startVisit, type Visit } from './support/visitor.js';

describe('following events live', () => {
  let visit: Visit;
  let line: BrokenLine;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    line = await openLine(visit.service.address);
  });

  after(async () => {
    await line.close();
    await visit.close();
  });

  beforeEach(async () => {
    line.mend();
    page = await visit.open('/plan');
    await page.goto(`${line.address}/dashboard/events`);
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  });

  afterEach(async () => {
    await page.context().close();
  });

  const isStream = (request: Request) => request.url().includes('/v1/events/stream');

  /** Follows, and waits until the stream is open: what is posted from then on comes through it. */
  async function follow(): Promise<void> {
    const opened = page.waitForResponse((response) => isStream(response.request()) && response.ok());
    await page.getByRole('button', { name: 'Follow live' }).click();
    await opened;
    await page.getByText('Waiting for the next event').waitFor();
  }

  /** Keeps the list from being read again: what comes then has come through the stream. */
  async function holdList(): Promise<void> {
    await page.route('**/v1/events?*', () => undefined);
  }

  async function post(type: string): Promise<void> {
    await visit.client.post('/v1/events', { type, data: {} });
  }

  it('shows a new event at the top, without loading anything again', async () => {
    await post('order.before');
    await page.reload();
    await page.getByRole('link', { name: 'order.before' }).first().waitFor();
    await follow();
    await holdList();
    await post('order.live');
    await page.getByRole('link', { name: 'order.live' }).waitFor();
    expect(await page.locator('tbody tr .row-link').first().innerText()).to.equal('order.live');
    expect(await page.getByRole('status').getByText('1 since you started').isVisible()).to.equal(true);
  });

  it('stops when it is told to, and then has what came meanwhile', async () => {
    await follow();
    const ended = page.waitForEvent('requestfailed', isStream);
    await page.getByRole('button', { name: 'Stop following' }).click();
    await ended;
    await post('order.meanwhile');
    await follow();
    await page.getByRole('link', { name: 'order.meanwhile' }).waitFor();
  });

  it('says when the service is away, and goes on by itself once it is back', async () => {
    await follow();
    line.cut();
    await page.getByText('The connection was lost').waitFor();
    await post('order.away');
    line.mend();
    await page.getByRole('link', { name: 'order.away' }).waitFor();
    await page.getByText('The connection was lost').waitFor({ state: 'detached' });
  });

  it('takes only types that are searched for', async () => {
    await page.getByLabel('Event id or type').fill('order.wanted');
    await page.keyboard.press('Enter');
    await page.getByText('No event matches these filters').waitFor();
    await follow();
    await post('order.other');
    await post('order.wanted');
    await page.getByRole('link', { name: 'order.wanted' }).waitFor();
    expect(await page.getByRole('link', { name: 'order.other' }).count()).to.equal(0);
  });
});
