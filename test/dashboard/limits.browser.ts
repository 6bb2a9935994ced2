import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startVisit, type Visit } from './support/visitor.js';

const webhookCount = 100;
const failingCount = 20;
const eventCount = 3;
const [maximumRequests, maximumBytes] = [3, 20 * 1024];
/** The deadline for the first outcome of all deliveries on a busy machine, in milliseconds. */
const preparedMs = 120_000;
/** The longest interval of refreshes on the overview. */
const refreshMs = 31_000;

describe('a refresh of the overview with 100 webhooks, of which 20 fail', function () {
  this.timeout(preparedMs + 180_000);
  let visit: Visit;
  let good: Receiver;
  let bad: Receiver;

  before(async () => {
    visit = await startVisit();
    good = await startReceiver();
    bad = await startReceiver((_request, response) => response.writeHead(503).end());
    // The webhooks of an account are created one after the other, and a request that waits too long gets 503.
    for (let number = 0; number < webhookCount; number += 1) {
      const { status } = await visit.client.post('/v1/webhooks', {
        url: `${number < failingCount ? bad.url : good.url}/customers/${number * 7919}/events`,
        events: ['*'],
        name: `Customer ${number * 104_729}`,
      });
      expect(status).to.equal(201);
    }
    for (let number = 0; number < eventCount; number += 1) {
      await visit.client.post('/v1/events', { type: 'order.completed', data: {} });
    }
    await eventually(
      'all failures',
      async () => {
        const { body, text } = await visit.client.get('/v1/delivery-health');
        expect(body, text).to.include({ retrying: failingCount * eventCount, pending: 0 });
        return true;
      },
      preparedMs,
    );
  });

  it('takes at most 3 requests and 20 KiB', async () => {
    const page = await visit.open('/plan');
    await page.clock.install();
    await page.goto(visit.addressOf(''));
    await page.getByRole('table', { name: 'Newest deliveries that are being retried' }).waitFor();
    const table = page.getByRole('table', { name: 'Webhooks that do not deliver' });
    await table
      .locator('tbody tr')
      .nth(failingCount - 1)
      .waitFor();
    expect(await table.locator('tbody tr').count()).to.equal(failingCount);
    const sizes = sizesOfRequests(page);
    await page.clock.runFor(refreshMs);
    await eventually('all requests of a refresh', () => (sizes.size === maximumRequests ? true : null));
    await page.waitForLoadState('networkidle');
    expect(sizes.size).to.be.at.most(maximumRequests);
    const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    expect(all, JSON.stringify([...sizes])).to.be.at.most(maximumBytes);
  });
});

/** The size of the largest response to each request of a page, by its path. */
function sizesOfRequests(page: Page): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  page.on('requestfinished', (request) => {
    const { pathname } = new URL(request.url());
    void request.sizes().then(({ responseBodySize }) => {
      sizes.set(pathname, Math.max(responseBodySize, sizes.get(pathname) ?? 0));
    });
  });
  return sizes;
}
