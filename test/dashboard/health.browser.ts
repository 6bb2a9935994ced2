import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';

import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { accessibilityFaults } from './support/accessibility.js';
import { goodStates } from './support/goodStates.js';
import { startVisit, type Visit } from './support/visitor.js';

const noisyCount = 110;
const quietCount = 3;

/** The deadline for the first attempts of all events on a busy machine, in milliseconds. */
const attemptedMs = 60_000;

describe('the dashboard of an account with a noisy webhook, a quiet failing one and a disabled one', function () {
  this.timeout(attemptedMs + 60_000);
  let visit: Visit;
  let failing: Receiver;
  let fixed: Receiver;
  let noisyId: string;
  let quietId: string;
  let disabledId: string;
  let status = 500;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    failing = await startReceiver((_request, response) => response.writeHead(503).end());
    fixed = await startReceiver((_request, response) => response.writeHead(status).end());
    const create = async (url: string, type: string) => {
      const { body } = await visit.client.post('/v1/webhooks', { url, events: [type] });
      return String(body['id']);
    };
    noisyId = await create(failing.url, 'noisy.event');
    quietId = await create(fixed.url, 'quiet.event');
    disabledId = await create(`${fixed.url}/disabled`, 'missed.event');
    await visit.client.patch(`/v1/webhooks/${disabledId}`, { status: 'disabled' });
    await post('quiet.event', quietCount);
    await post('missed.event', 2);
    await post('noisy.event', noisyCount);
    await eventually(
      'failures of both webhooks',
      async () => {
        const counts = await Promise.all([noisyId, quietId].map(retryingOf));
        return counts[0] === noisyCount && counts[1] === quietCount ? true : null;
      },
      attemptedMs,
    );
  });

  afterEach(() => page.context().close());

  async function post(type: string, count: number): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, () => visit.client.post('/v1/events', { type, data: {} })),
    );
  }

  async function retryingOf(id: string): Promise<unknown> {
    return (await visit.client.get(`/v1/webhooks/${id}/health`)).body['retrying'];
  }

  it('shows the exact number and the reason of each webhook, in any time range, with small requests', async () => {
    // The page repeats its requests meanwhile, so each request counts once, with its largest response.
    const sizes = new Map<string, number>();
    page = await visit.open('/plan');
    page.on('requestfinished', (request) => {
      if (request.url().includes('/v1/') && request.method() === 'GET') {
        const { pathname, searchParams } = new URL(request.url());
        const form = [pathname, ...searchParams.keys(), ...searchParams.getAll('deliveryStatus')].join(' ');
        void request.sizes().then(({ responseBodySize }) => {
          sizes.set(form, Math.max(responseBodySize, sizes.get(form) ?? 0));
        });
      }
    });
    await page.goto(visit.addressOf('?range=minute'));
    const table = page.getByRole('table', { name: 'Webhooks that do not deliver' });
    const noisy = table.getByRole('row').filter({ hasText: failing.url });
    const quiet = table.getByRole('row').filter({ hasText: fixed.url });
    await noisy.getByRole('link', { name: `${noisyCount} Retrying` }).waitFor();
    await noisy.getByText('Status 503').waitFor();
    await quiet.getByRole('link', { name: `${quietCount} Retrying` }).waitFor();
    expect(await quiet.getByRole('cell').locator('time').count()).to.equal(2);
    await page.getByRole('table', { name: 'Newest deliveries that are being retried' }).waitFor();
    expect(await page.getByText('No undelivered events.').count()).to.equal(0);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    expect([...sizes.values()].reduce((sum, size) => sum + size, 0)).to.be.below(20 * 1024);
  });

  it('shows the exact numbers and no green status in the list of webhooks', async () => {
    page = await visit.open('/webhooks');
    const quiet = page.getByRole('row').filter({ hasText: `${fixed.url}\n` });
    const row = page.getByRole('row').filter({ hasText: fixed.url }).filter({ hasText: 'Failing' });
    await row.getByRole('cell', { name: String(quietCount), exact: true }).waitFor();
    expect(await quiet.locator('.badge-good').count()).to.equal(0);
    await page.getByRole('link', { name: 'count missed events' }).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('counts the missed events when the page of the disabled webhook opens, and shows them as unknown before', async () => {
    page = await visit.open('/plan');
    let answer: () => void = () => undefined;
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/v1/replays', async (route: Route) => {
      await mayAnswer;
      await route.continue();
    });
    await page.goto(visit.addressOf(`/webhooks/${disabledId}`));
    await page.getByText('Missed events: unknown.').waitFor();
    answer();
    await page.getByText('Missed: 2 events.').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('says that a disabled webhook missed more events than were counted if the count had to stop', async () => {
    page = await visit.open('/plan');
    await page.route('**/v1/replays', (route) =>
      route.fulfill({ json: { matched: 41_000, complete: false, until: new Date().toISOString() } }),
    );
    await page.goto(visit.addressOf(`/webhooks/${disabledId}`));
    await page.getByText('Missed: more than 41,000 events.').waitFor();
  });

  it('shows the time of the counts if they are old, and does not call the state good', async () => {
    page = await visit.open('/plan');
    await page.route('**/v1/webhooks?*include=health*', async (route) => {
      const response = await route.fetch();
      const list = (await response.json()) as { data: { health: object }[] };
      const [first] = list.data.filter((webhook) => 'health' in webhook);
      const old = { ...first?.health, state: 'healthy', retrying: 0, asOf: '2026-01-01T00:00:00.000Z' };
      const data = list.data.map((webhook) => ({ ...webhook, health: { ...old, failures: [] } }));
      await route.fulfill({ response, json: { ...list, data } });
    });
    await page.goto(visit.addressOf(''));
    await page.getByText('The counts are not current.').waitFor();
    await page.getByText('The state of the deliveries is unknown.').waitFor();
    expect(await page.getByText('No undelivered events.').count()).to.equal(0);
  });

  it('offers the deliveries that are being retried if no delivery has failed', async () => {
    page = await visit.open(`/webhooks/${noisyId}/recover`);
    await page.getByLabel('Failed deliveries').check();
    await page.getByRole('button', { name: 'Count events' }).click();
    await page.getByText(`${noisyCount} are being retried: retry them now?`).waitFor();
    await page.getByRole('button', { name: `Send ${noisyCount} events` }).waitFor();
  });

  it('sends exactly the deliveries with one error, after it has named their number, and shows the progress', async () => {
    // The retries after those of the first attempts come minutes later, so only the replay delivers.
    await eventually('a retry of each delivery', async () => {
      const query = `webhookId=${quietId}&deliveryStatus=retrying`;
      const { status: answered, text } = await visit.client.get(`/v1/events?${query}`);
      return answered === 200 && !text.includes('"attemptCount":1,') ? true : null;
    });
    page = await visit.open(`/webhooks/${quietId}/recover`);
    status = 200;
    const errors = page.getByRole('table', { name: 'Errors of the last attempts, most frequent first' });
    await errors.getByRole('row').filter({ hasText: 'Status 500' }).getByRole('button').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`The service sends at most ${quietCount} events.`).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await dialog.getByRole('button', { name: `Send ${quietCount} events` }).click();
    await page.getByText(/^Sent: 3 delivered, 0 failed, of 3 events/).waitFor();
    await page.getByText('No delivery is failed, canceled, waiting or being retried.').waitFor();
    await eventually('unchanged counts of the other webhook', async () =>
      (await retryingOf(noisyId)) === noisyCount ? true : null,
    );
  });
});

const batchCount = 20;
const batchSize = 500;
/** The deadline for 10,000 deliveries on a busy machine, in milliseconds. */
const deliveredMs = 180_000;

describe('the dashboard of an account with a webhook that fails once among 10,000 successes', function () {
  this.timeout(deliveredMs + 120_000);
  let visit: Visit;
  let receiver: Receiver;
  let webhookId: string;
  let isFixed = false;

  before(async () => {
    visit = await startVisit({ plan: 'enterprise', requestsPerSecond: 1000 });
    receiver = await startReceiver(({ body }, response) => {
      response.writeHead(!isFixed && body.includes('"number":4321}') ? 500 : 200).end();
    });
    const { body } = await visit.client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    webhookId = String(body['id']);
    for (let batch = 0; batch < batchCount; batch += 1) {
      const events = Array.from({ length: batchSize }, (_, at) => ({
        type: 'order.completed',
        data: { number: batch * batchSize + at },
      }));
      const { status } = await visit.client.post('/v1/events/batch', { events });
      expect(status).to.equal(200);
    }
    await eventually(
      'all first attempts',
      async () => {
        const { body: health } = await visit.client.get(`/v1/webhooks/${webhookId}/health`);
        return health['pending'] === 0 && health['retrying'] === 1 ? true : null;
      },
      deliveredMs,
    );
  });

  it('shows the one failure and no good state, and the recovery with a success rate below 100 %', async () => {
    // The next retry comes minutes later, so only the replay delivers.
    await eventually('the first retry', async () => {
      const query = `webhookId=${webhookId}&deliveryStatus=retrying`;
      const { status, text } = await visit.client.get(`/v1/events?${query}`);
      return status === 200 && text.includes('"attemptCount":2,') ? true : null;
    });
    const page = await visit.open('');
    const row = page.getByRole('row').filter({ hasText: receiver.url });
    await row.getByRole('link', { name: '1 Retrying' }).first().waitFor();
    await page
      .getByText(/^99\.9\d %$/)
      .first()
      .waitFor({ timeout: 60_000 });
    expect(await goodStates(page)).to.deep.equal([]);
    await row.getByRole('button', { name: 'Retry what failed' }).click();
    isFixed = true;
    await page.getByRole('dialog').getByRole('button', { name: 'Send 1 event' }).click();
    await page.getByText('No undelivered events.').waitFor();
    await page
      .getByText(/^99\.9\d %$/)
      .first()
      .waitFor({ timeout: 60_000 });
    expect(await page.getByText('100 %').count()).to.equal(0);
    await page.goto(visit.addressOf(`/webhooks/${webhookId}`));
    await page
      .getByText(/^99\.9\d %$/)
      .first()
      .waitFor({ timeout: 60_000 });
  });
});
