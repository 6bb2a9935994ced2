import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { seed, type Seeded } from './support/seed.js';
import { startVisit, type Visit } from './support/visitor.js';

const responseMs = 6000;
/** The requests for the session and the account precede the requests of a page. A busy machine needs more time. */
const loadedMs = 3 * responseMs + 30_000;

describe('the pages of the dashboard if each response takes 6 s', () => {
  let visit: Visit;
  let seeded: Seeded;

  before(async () => {
    visit = await startVisit();
    seeded = await seed(visit);
  });

  /** Loads a page with slow responses. Returns the most requests of one address that were in flight at once. */
  async function load(place: string, isLoaded: (page: Page) => Promise<void>): Promise<number> {
    const page = await visit.open('/plan');
    // Requests of an earlier page must have ended.
    await page.goto('about:blank');
    const inFlight = new Map<string, number>();
    let most = 0;
    await page.route('**/v1/**', async (route) => {
      const request = route.request();
      const { pathname, searchParams } = new URL(request.url());
      const form = `${request.method()} ${pathname} ${searchParams.getAll('deliveryStatus').join()}`;
      inFlight.set(form, (inFlight.get(form) ?? 0) + 1);
      most = Math.max(most, inFlight.get(form) ?? 0);
      await pause(responseMs);
      inFlight.set(form, (inFlight.get(form) ?? 0) - 1);
      await route.fallback();
    });
    await page.goto(visit.addressOf(place));
    await isLoaded(page);
    await page.context().close();
    return most;
  }

  it('load, and have one request of each kind in flight', async () => {
    const text = (wanted: string) => (page: Page) =>
      page
        .locator('main :is(h2, td, article)')
        .filter({ hasText: wanted })
        .first()
        .waitFor({ timeout: loadedMs });
    const most = await Promise.all([
      load('?range=minute', text('Figures')),
      load('/webhooks', text(seeded.bad.url)),
      load('/events?live=1', text('order.completed')),
      load(`/events/${seeded.eventId}`, text('Retrying')),
      load(`/webhooks/${seeded.badId}`, text('Recent attempts')),
      load('/audit-log?action=webhook.*', text('Webhook: created')),
    ]);
    expect(most).to.deep.equal([1, 1, 1, 1, 1, 1]);
  });
});
