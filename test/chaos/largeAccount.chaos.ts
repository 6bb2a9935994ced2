import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';

import { storeDeliveries } from './storedDeliveries.js';
import { startStack, type RunningStack } from '../../stack/stack.js';
import { startVisit, type Visit } from '../dashboard/support/visitor.js';
import { closeAtEndOfFile } from '../support/fileResources.js';
import { startServiceWith, type TestService } from '../support/service.js';
import { settingsOn } from '../support/settings.js';

/** The number of events. A smaller number makes a quick run. */
const { STORED_EVENTS: events } = z
  .object({ STORED_EVENTS: z.coerce.number().int().positive().default(1_000_000) })
  .parse(process.env);
const webhooks = 100;
const failing = 20;
const failedShare = 0.05;
const places = ['', '/events', '/attempts', '/webhooks', '/webhooks/:webhook', '/webhooks/:webhook/recover'];
const repetitions = 5;
const [mostColdMs, mostWarmMs] = [1000, 300];

/** An expression for the page: its heading is there, and no part of it is loading. */
const isUsable = `document.querySelector('h1') !== null && document.querySelector('[aria-busy=true]') === null`;

describe(`the dashboard of an account with ${events.toLocaleString('en')} events and ${webhooks} webhooks`, function () {
  this.timeout(1_800_000);

  let directory: string;
  let stack: RunningStack;
  let service: TestService;
  let visit: Visit;
  let webhookId: string;
  let newContext: () => Promise<BrowserContext>;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-large-'));
    stack = await startStack({ directory, ephemeral: true });
    closeAtEndOfFile(async () => {
      await stack.stop();
      await rm(directory, { recursive: true, force: true });
    });
    const settings = settingsOn(stack.addresses);
    service = await startServiceWith(settings);
    visit = await startVisit({ plan: 'enterprise', requestsPerSecond: 100_000 }, service);
    const ids: string[] = [];
    for (let number = 0; number < webhooks; number += 1) {
      const { body } = await visit.client.post('/v1/webhooks', {
        url: `http://127.0.0.1:9/customers/${number}`,
        events: ['none'],
      });
      ids.push(String(body['id']));
    }
    webhookId = ids[0] ?? '';
    const healthy = ids.slice(failing);
    for (const id of ids.slice(0, failing)) {
      await storeDeliveries(settings['MONGODB_URL'] ?? '', {
        webhookIds: [id, ...healthy],
        events: events / failing,
        failed: (failedShare * events) / failing,
      });
    }
    // The pages of `visit` delay each request.
    const first = (await visit.open('')).context();
    const cookies = await first.cookies();
    newContext = async () => {
      // The expression is evaluated as text, which the policy of the page forbids.
      const context = await (first.browser() ?? expect.fail('no browser')).newContext({ bypassCSP: true });
      await context.addCookies(cookies);
      return context;
    };
  });

  async function timeOf(page: Page, address: string): Promise<number> {
    const startedAt = performance.now();
    await page.goto(address, { waitUntil: 'commit' });
    await page.waitForFunction(isUsable);
    return Math.round(performance.now() - startedAt);
  }

  /** The times without and with the files of the page in the browser's cache. */
  async function timesOf(address: string): Promise<{ readonly cold: number; readonly warm: number }> {
    const context = await newContext();
    const page = await context.newPage();
    const cold = await timeOf(page, address);
    const warm = await timeOf(page, address);
    await context.close();
    return { cold, warm };
  }

  for (const place of places) {
    it(`is usable within a second, and within 300 ms if it was open before: ${place === '' ? 'overview' : place}`, async () => {
      const address = visit.addressOf(place.replace(':webhook', webhookId));
      const times: Awaited<ReturnType<typeof timesOf>>[] = [];
      for (let repetition = 0; repetition < repetitions; repetition += 1) {
        times.push(await timesOf(address));
      }
      const [cold, warm] = [
        medianOf(times.map((each) => each.cold)),
        medianOf(times.map((each) => each.warm)),
      ];
      process.stdout.write(`    ${place === '' ? 'overview' : place}: ${cold} ms cold, ${warm} ms warm\n`);
      expect(cold).to.be.at.most(mostColdMs);
      expect(warm).to.be.at.most(mostWarmMs);
    });
  }
});

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
