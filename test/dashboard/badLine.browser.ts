import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';

import { untilListed } from './support/untilListed.js';
import { startVisit, type Visit } from './support/visitor.js';

const list = '**/v1/events?*';

describe('the dashboard on a bad connection', () => {
  let visit: Visit;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    await visit.client.post('/v1/events', { type: 'order.completed', data: {} });
    await untilListed(visit.client, '/v1/events', 'order.completed');
  });

  beforeEach(async () => {
    page = await visit.open('/plan');
  });

  afterEach(() => page.context().close());

  async function openEvents(): Promise<void> {
    await page.getByRole('link', { name: 'Events', exact: true }).click();
  }

  /** Delays requests until the returned function is called. */
  async function hold(address: string): Promise<() => void> {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route(address, async (route) => {
      await held;
      await route.continue();
    });
    return letGo;
  }

  /** Counts and answers the requests that create a webhook. */
  async function countPosts(answer: (route: Route) => Promise<void>): Promise<() => number> {
    let count = 0;
    await page.route('**/v1/webhooks', (route) => {
      if (route.request().method() !== 'POST') {
        return route.continue();
      }
      count += 1;
      return answer(route);
    });
    return () => count;
  }

  it('shows that it is loading, and then the list', async () => {
    const letGo = await hold(list);
    await openEvents();
    await page.getByText('Loading events').waitFor({ state: 'attached' });
    letGo();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
    expect(await page.getByText('Loading events').count()).to.equal(0);
  });

  it('keeps the earlier list dimmed and inert until the list with another filter has loaded', async () => {
    await openEvents();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
    const letGo = await hold('**/v1/events?*deliveryStatus=failed*');
    await page.getByLabel('Status').selectOption('Failed');
    const old = page.locator('.loaded[aria-busy=true][inert]');
    await old.getByRole('link', { name: 'order.completed', includeHidden: true }).waitFor();
    letGo();
    await page.getByText('No event matches these filters').waitFor();
    expect(await old.count()).to.equal(0);
  });

  it('sends a form once, however often its button is pressed', async () => {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const posts = await countPosts((route) => held.then(() => route.continue()));
    await page.goto(visit.addressOf('/webhooks/new'));
    await page.getByLabel('URL').fill('http://127.0.0.1:1/once');
    // The form is submitted twice before the page is drawn again, and then twice more.
    await page.evaluate(
      'for (const form of document.forms) { if (form.className === "form") { form.requestSubmit(); form.requestSubmit(); } }',
    );
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add webhook' }).click({ force: true });
    letGo();
    await page.getByRole('heading', { name: 'Your webhook is ready' }).waitFor();
    expect(posts()).to.equal(1);
  });

  it('never repeats a change automatically', async () => {
    const posts = await countPosts((route) =>
      route.fulfill({
        status: 503,
        headers: { 'Retry-After': '1' },
        json: { error: { code: 'service_unavailable', message: 'It is unavailable.' } },
      }),
    );
    await page.goto(visit.addressOf('/webhooks/new'));
    await page.getByLabel('URL').fill('http://127.0.0.1:1/unsure');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('temporarily unavailable').waitFor();
    expect(posts()).to.equal(1);
  });

  it('shows the rest of a page if one part fails to load', async () => {
    await page.route('**/v1/stats/deliveries?*', (route) => route.abort());
    await page.goto(visit.addressOf(''));
    await page.getByText('No undelivered events.').waitFor();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.unroute('**/v1/stats/deliveries?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Figures' }).waitFor();
  });

  it('shows an error, and loads the list when the user tries again', async () => {
    await page.route(list, (route) => route.abort());
    await openEvents();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.unroute(list);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
  });

  it('repeats a request automatically after the time in Retry-After', async () => {
    let asked = 0;
    await page.route(list, (route) => {
      asked += 1;
      return asked === 1 ? route.fulfill({ status: 503, headers: { 'Retry-After': '1' } }) : route.continue();
    });
    await openEvents();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
  });

  it('shows the status of a response that is not from the service', async () => {
    await page.route(list, (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }));
    await openEvents();
    await page.getByRole('alert').getByText('status 502').waitFor();
  });

  it('asks the user to sign in when the session has ended, and stays at its address', async () => {
    // The session ends with the request for the list. If it ended earlier, the open page could notice before the click.
    await page.route(list, async (route) => {
      await page.context().clearCookies();
      await route.continue();
    });
    await openEvents();
    await page.getByText('Your session has ended').waitFor();
    expect(page.url()).to.equal(visit.addressOf('/events'));
  });
});
