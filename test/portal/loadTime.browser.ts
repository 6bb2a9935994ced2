import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { startCustomer, type Customer } from './support/customer.js';

/** A line of 1.6 Mbit/s with round trips of 150 ms. */
const slowLine = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 1_600_000 / 8,
};
/** The page, its script, the session and the endpoints are loaded one after another. */
const leastRoundTrips = 4;
/** The best of several loads is the page's own time. The others also wait for other work of the machine. */
const loads = 5;

describe('the page of the portal, opened for the first time', () => {
  let customer: Customer;
  before(async () => {
    customer = await startCustomer();
  });

  /** The shortest time in milliseconds from opening the page until the customer can add an endpoint. */
  const shortestTime = async (prepare: (page: Page) => Promise<void>): Promise<number> => {
    const times: number[] = [];
    for (let load = 0; load < loads; load += 1) {
      const context = await customer.newContext();
      const page = await context.newPage();
      await prepare(page);
      await page.goto((await customer.newSession()).url, { waitUntil: 'commit' });
      await page.getByRole('link', { name: 'Add endpoint' }).first().waitFor();
      times.push(await page.evaluate<number>('performance.now()'));
      await context.close();
    }
    return Math.min(...times);
  };

  it('can be used within a second', async () => {
    expect(await shortestTime(() => Promise.resolve())).to.be.below(1000);
  });

  it('can be used within three seconds at 1.6 Mbit/s with round trips of 150 ms', async () => {
    const time = await shortestTime(async (page) => {
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('Network.enable');
      await devtools.send('Network.emulateNetworkConditions', slowLine);
    });
    expect(time)
      .to.be.above(leastRoundTrips * slowLine.latency)
      .and.to.be.below(3000);
  });
});
