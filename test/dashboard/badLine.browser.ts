import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { startVisit, type Visit } from './support/visitor.js';

const list = '**/v1/events?*';

describe('the dashboard on a bad line', () => {
  let visit: Visit;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    await visit.client.post('/v1/events', { type: 'order.completed', data: {} });
  });

  after(async () => {
    await visit.close();
  });

  beforeEach(async () => {
    page = await visit.open('/plan');
  });

  afterEach(async () => {
    await page.context().close();
  });

  async function openEvents(): Promise<void> {
    await page.getByRole('link', { name: 'Events', exact: true }).click();
  }

  it('shows that it is loading, then what has come', async () => {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route(list, async (route) => {
      await held;
      await route.continue();
    });
    await openEvents();
    await page.getByText('Loading events').waitFor({ state: 'attached' });
    letGo();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
    expect(await page.getByText('Loading events').count()).to.equal(0);
  });

  it('says what is wrong, and loads it when the reader tries again', async () => {
    await page.route(list, (route) => route.abort());
    await openEvents();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.unroute(list);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
  });

  it('waits by itself where the service asks for a moment', async () => {
    let asked = 0;
    await page.route(list, (route) => {
      asked += 1;
      return asked === 1 ? route.fulfill({ status: 503, headers: { 'Retry-After': '1' } }) : route.continue();
    });
    await openEvents();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
  });

  it('understands an answer that is none of the service', async () => {
    await page.route(list, (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }));
    await openEvents();
    await page.getByRole('alert').getByText('status 502').waitFor();
  });

  it('asks to sign in when the session has ended, and stays where it was', async () => {
    await page.context().clearCookies();
    await openEvents();
    await page.getByText('Your session has ended').waitFor();
    expect(page.url()).to.equal(visit.addressOf('/events'));
  });
});
