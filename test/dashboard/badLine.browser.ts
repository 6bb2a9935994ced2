import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';

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

  /** Holds up requests until it is told to let them go. */
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

  /** Counts what is posted to the list of webhooks, and answers it. */
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

  it('shows that it is loading, then what has come', async () => {
    const letGo = await hold(list);
    await openEvents();
    await page.getByText('Loading events').waitFor({ state: 'attached' });
    letGo();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
    expect(await page.getByText('Loading events').count()).to.equal(0);
  });

  it('keeps what it shows until what another filter gives has come, dimmed and out of reach', async () => {
    await openEvents();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
    const letGo = await hold('**/v1/events?*deliveryStatus=failed*');
    await page.getByLabel('Status').selectOption('Failed');
    const old = page.locator('.loaded[aria-busy=true][inert]');
    await old.getByText('order.completed').waitFor();
    letGo();
    await page.getByText('No event matches these filters').waitFor();
    expect(await old.count()).to.equal(0);
  });

  it('gives an order once, however often its button is pressed', async () => {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const posts = await countPosts((route) => held.then(() => route.continue()));
    await page.goto(visit.addressOf('/webhooks/new'));
    await page.getByLabel('URL').fill('http://127.0.0.1:1/once');
    // Twice before the page can be drawn again, and then twice more.
    await page.evaluate(
      'for (const form of document.forms) { if (form.className === "form") { form.requestSubmit(); form.requestSubmit(); } }',
    );
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add webhook' }).click({ force: true });
    letGo();
    await page.getByRole('heading', { name: 'Your webhook is ready' }).waitFor();
    expect(posts()).to.equal(1);
  });

  it('repeats by itself nothing that changes something', async () => {
    const posts = await countPosts((route) =>
      route.fulfill({
        status: 503,
        headers: { 'Retry-After': '1' },
        json: { error: { code: 'service_unavailable', message: 'It is away.' } },
      }),
    );
    await page.goto(visit.addressOf('/webhooks/new'));
    await page.getByLabel('URL').fill('http://127.0.0.1:1/unsure');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('temporarily unavailable').waitFor();
    expect(posts()).to.equal(1);
  });

  it('shows the rest of a page of which one part does not come', async () => {
    await page.route('**/v1/stats/deliveries?*', (route) => route.abort());
    await page.goto(visit.addressOf(''));
    await page.getByText('All events were delivered.').waitFor();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.unroute('**/v1/stats/deliveries?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Figures' }).waitFor();
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
    // It ends as the list is asked for: where it ends earlier, the page that is open may notice before the click.
    await page.route(list, async (route) => {
      await page.context().clearCookies();
      await route.continue();
    });
    await openEvents();
    await page.getByText('Your session has ended').waitFor();
    expect(page.url()).to.equal(visit.addressOf('/events'));
  });
});
