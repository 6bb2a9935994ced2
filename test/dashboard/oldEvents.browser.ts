import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { appendDeliveries, newAttemptId } from '../api/support/deliveries.js';
import { appendEvents } from '../support/appendEvents.js';
import { failed, failedForGood, succeeded } from '../support/deliveryFacts.js';
import { eventually } from '../support/eventually.js';
import { untilListed } from './support/untilListed.js';
import { startVisit, type Visit } from './support/visitor.js';

const dayMs = 24 * 60 * 60 * 1000;
const url = 'http://127.0.0.1:1/hook';
const timeout = { code: 'timeout', message: 'No response within 15 s' } as const;

describe('the dashboard of an account whose old event fails today', () => {
  let visit: Visit;
  let webhookId: string;
  let eventId: string;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    // No event has this type, so the service makes no attempt itself.
    const { body } = await visit.client.post('/v1/webhooks', { url, events: ['nothing.matches'] });
    webhookId = String(body['id']);
    const created = new Date(Date.now() - 4 * dayMs);
    const [id = ''] = await visit.service.withStores(({ log }) =>
      appendEvents(log, visit.accountId, [{ created }]),
    );
    eventId = id;
    const attempt = { webhookId, attemptedAt: new Date() };
    await append([
      failed({ ...attempt, attemptedAt: created, attemptId: newAttemptId() }),
      failedForGood({ ...attempt, number: 2, trigger: 'retry', attemptId: newAttemptId() }),
    ]);
    await untilState('undelivered', 'failing');
    await untilListed(visit.client, '/v1/attempts', '"number":1,', '"number":2,');
  });

  afterEach(() => page.context().close());

  async function append(facts: Parameters<typeof appendDeliveries>[2]): Promise<void> {
    await appendDeliveries({ service: visit.service, id: visit.accountId }, eventId, facts);
  }

  async function untilState(...states: readonly string[]): Promise<void> {
    await eventually(`the state ${states.join(' or ')}`, async () => {
      const { body } = await visit.client.get(`/v1/webhooks/${webhookId}/health`);
      return states.includes(String(body['state'])) && body['failed'] === 1 ? true : null;
    });
  }

  it('shows the failed delivery in each time range, and never says that everything was delivered', async () => {
    for (const range of ['minute', 'day', 'quarter']) {
      page = await visit.open(`?range=${range}`);
      const table = page.getByRole('table', { name: 'Webhooks that do not deliver' });
      await table.getByRole('link', { name: '1 Failed' }).waitFor();
      expect(await page.getByText('No undelivered events.').count()).to.equal(0);
      if (range !== 'quarter') {
        await page.context().close();
      }
    }
    await page.getByRole('link', { name: '1 Failed' }).click();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
  });

  it('finds the failure by the time of the attempt, although the event is older', async () => {
    page = await visit.open('/attempts?status=failed&within=hour');
    await page.getByRole('table', { name: 'Attempts, newest first' }).waitFor();
    expect(await page.locator('tbody tr').count()).to.equal(1);
    await page.goto(visit.addressOf('/events?status=failed&within=hour'));
    await page.getByText('No event matches these filters').waitFor();
  });

  it('shows no response time for attempts that got no response', async () => {
    const attempt = { webhookId, cycle: 1, attemptedAt: new Date() };
    const answered = succeeded({ ...attempt, final: false, durationMs: 20, attemptId: newAttemptId() });
    const timeouts = Array.from({ length: 9 }, (_, index) =>
      failed({
        ...attempt,
        ...{ number: index + 2, trigger: 'retry', attemptId: newAttemptId() },
        ...{ statusCode: null, error: timeout, durationMs: 14_000 },
      }),
    );
    await append([answered, ...timeouts]);
    for (const place of ['', `/webhooks/${webhookId}`]) {
      await eventually('the timeouts in the figures', async () => {
        page = await visit.open(place);
        const tile = page.locator('.tile').filter({ hasText: 'Response time, p95' });
        await tile.waitFor();
        const text = await tile.innerText();
        if (!text.includes('no response')) {
          await page.context().close();
          return null;
        }
        expect(text).to.not.contain('14 s');
        expect(text).to.match(/\d+ % of attempts got no response/);
        return true;
      });
      if (place === '') {
        await page.context().close();
      }
    }
  });
});
