import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { startStack, type RunningStack } from '../../stack/stack.js';
import { eventually } from '../support/eventually.js';
import { closeAtEndOfFile } from '../support/fileResources.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startServiceWith, type TestService } from '../support/service.js';
import { settingsOn } from '../support/settings.js';
import { goodStates } from './support/goodStates.js';
import { startVisit, type Visit } from './support/visitor.js';

const places = ['', '/webhooks', '/webhooks/:id', '/events?live=1'];
/** The time in which a page must show another state, in milliseconds. The clock of the page runs faster. */
const noticedMs = 45_000;

/** The number of notices that the state is unknown. */
function unknownStates(page: Page): Promise<number> {
  return page.getByText('The last good response arrived on').count();
}

/** Waits for a state of a page, whose clock runs faster meanwhile. */
async function until(page: Page, condition: () => Promise<boolean>): Promise<void> {
  await eventually(
    `the other state of ${page.url()}`,
    async () => {
      await page.clock.runFor(1000);
      await pause(200);
      return (await condition()) ? true : null;
    },
    noticedMs,
  );
}

describe('open pages of the dashboard while MongoDB does not respond', function () {
  this.timeout(240_000);

  let directory: string;
  let stack: RunningStack;
  let service: TestService;
  let visit: Visit;
  let receiver: Receiver;
  let pages: readonly Page[];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-frozen-'));
    stack = await startStack({ directory, ephemeral: true });
    closeAtEndOfFile(async () => {
      await stack.stop();
      await rm(directory, { recursive: true, force: true });
    });
    service = await startServiceWith(settingsOn(stack.addresses));
    visit = await startVisit(undefined, service);
    receiver = await startReceiver();
    const { body } = await visit.client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    await visit.client.post('/v1/events', { type: 'order.completed', data: {} });
    await eventually('a delivery', async () => {
      const { text } = await visit.client.get('/v1/events?deliveryStatus=delivered');
      return text.includes('evt_') ? true : null;
    });
    pages = await Promise.all(
      places.map(async (place) => {
        const page = await visit.open('/plan');
        await page.clock.install();
        await page.goto(visit.addressOf(place.replace(':id', String(body['id']))));
        await page.locator('.loaded').first().waitFor();
        return page;
      }),
    );
  });

  after(() => {
    stack.mongodb.resume();
  });

  it('show that the state is unknown with the time of the last good response, and recover', async () => {
    const [overview] = pages;
    await eventually('the good state', async () =>
      overview !== undefined && (await goodStates(overview)).length > 0 ? true : null,
    );
    stack.mongodb.pause();
    await Promise.all(pages.map((page) => until(page, async () => (await unknownStates(page)) > 0)));
    for (const page of pages) {
      expect(await goodStates(page), page.url()).to.deep.equal([]);
    }
    stack.mongodb.resume();
    await Promise.all(pages.map((page) => until(page, async () => (await unknownStates(page)) === 0)));
    // The first counts after the outage may be older than the page accepts.
    await Promise.all(
      pages.slice(0, 1).map((page) => until(page, async () => (await goodStates(page)).length > 0)),
    );
  });

  it('never show a good state if they are opened during the outage', async () => {
    stack.mongodb.pause();
    const page = await visit.newPage();
    await page.context().addCookies(await (pages[0]?.context().cookies() ?? Promise.resolve([])));
    await page.goto(visit.addressOf(''));
    await eventually('a failure', async () => {
      expect(await goodStates(page)).to.deep.equal([]);
      return (await page.getByRole('alert').count()) > 0 ? true : null;
    });
    stack.mongodb.resume();
    await page.context().close();
  });
});
