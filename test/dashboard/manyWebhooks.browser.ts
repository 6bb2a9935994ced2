import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { createRandom } from '../../shared/core/random.js';
import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import { eventually } from '../support/eventually.js';
import { contextOf } from '../support/facts.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { webhookCreated } from '../support/webhookFacts.js';
import { untilListed } from './support/untilListed.js';
import { startVisit, type Visit } from './support/visitor.js';

const identifiers = createIdentifiers(createRandom());
/** With the webhook that is created first, one more than a response contains. */
const laterCount = 100;

describe('the dashboard of an account with more webhooks than one response', () => {
  let visit: Visit;
  let receiver: Receiver;
  let page: Page;
  let oldId: string;
  let requests: string[] = [];

  before(async () => {
    visit = await startVisit();
    receiver = await startReceiver((_request, response) => response.writeHead(500).end());
    const created = await visit.client.post('/v1/webhooks', {
      ...{ url: receiver.url, name: 'The oldest webhook', events: ['order.completed'] },
    });
    oldId = String(created.body['id']);
    await appendLaterWebhooks();
    await visit.client.post('/v1/events', { type: 'order.completed', data: {} });
    await receiver.received(1);
    await untilListed(visit.client, '/v1/attempts', oldId);
    await untilListed(visit.client, `/v1/events?webhookId=${oldId}`, 'order.completed');
    page = await visit.open('/plan');
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/v1/webhooks')) {
        requests.push(`${pathname}${search}`);
      }
    });
  });

  beforeEach(() => {
    requests = [];
  });

  /** Appends webhooks of other types, because a hundred requests that create webhooks would take too long. */
  async function appendLaterWebhooks(): Promise<void> {
    const { accountId } = visit;
    const { context: _context, ...fact } = webhookCreated({ events: ['other.type'] });
    await visit.service.withStores(async ({ log, models }) => {
      const ids = Array.from({ length: laterCount }, () => identifiers.create('wh', new Date()));
      for (const key of ids) {
        const at = new Date();
        const id = identifiers.createRecordId(at);
        await log.append(webhookRecords.encode(fact, contextOf(key, { id, accountId, at })));
      }
      await eventually('all webhooks in the model', async () =>
        (await models.webhooks.findInAllAccounts(ids)).documents.length === laterCount ? true : null,
      );
    });
  }

  it('reads one page of webhooks, and the webhook of a delivery by its id', async () => {
    await page.goto(visit.addressOf('/attempts'));
    await page.getByRole('link', { name: 'The oldest webhook' }).waitFor();
    expect(requests).to.deep.equal(['/v1/webhooks?limit=100', `/v1/webhooks/${oldId}`]);
  });

  it('filters lists by the id of a webhook, which the user enters', async () => {
    await page.goto(visit.addressOf('/events'));
    await page.getByLabel('Webhook id').fill(oldId);
    await page.getByLabel('Webhook id').press('Enter');
    await page.getByText('Delivery to this webhook').waitFor();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
    expect(new URL(page.url()).searchParams.get('webhook')).to.equal(oldId);
  });

  it('says on the overview that it checks only the newest webhooks, and counts all', async () => {
    await page.goto(visit.addressOf(''));
    await page.getByText('The overview checks only the 100 newest webhooks.').waitFor();
    expect(await page.getByText('No undelivered events.').count()).to.equal(0);
    await page.getByText('1 failing, 100 healthy').waitFor();
    await page.getByRole('link', { name: '1 Retrying' }).waitFor();
  });

  it('lists webhooks in pages', async () => {
    await page.goto(visit.addressOf('/webhooks'));
    await page
      .locator('tbody .row-link')
      .nth(laterCount - 1)
      .waitFor();
    await page.getByRole('link', { name: 'Older' }).click();
    await page.locator('main').getByRole('link', { name: 'The oldest webhook' }).waitFor();
    expect(await page.locator('tbody .row-link').count()).to.equal(1);
  });

  it('finds an old webhook on the pages of its test event, its signatures and its recovery', async () => {
    for (const place of ['test', 'verify', 'recover']) {
      await page.goto(visit.addressOf(`/webhooks/${oldId}/${place}`));
      await page.getByText('The oldest webhook').first().waitFor();
    }
    expect(requests.filter((path) => path.includes('?'))).to.deep.equal([
      '/v1/webhooks?limit=100',
      '/v1/webhooks?limit=100',
      '/v1/webhooks?limit=100',
    ]);
  });
});
