import { expect } from 'chai';

import { accessibilityFaults } from './support/accessibility.js';
import { untilListed } from './support/untilListed.js';
import { startVisit, type Visit } from './support/visitor.js';

describe('the audit log in the dashboard', () => {
  let visit: Visit;

  before(async () => {
    visit = await startVisit();
    const url = 'http://127.0.0.1:1/audited';
    const { body } = await visit.client.post('/v1/webhooks', { url, events: ['*'], name: 'Order service' });
    await visit.client.patch(`/v1/webhooks/${String(body['id'])}`, { events: ['order.*'] });
    await visit.client.post('/v1/api-keys', { name: 'Shop backend' });
    await untilListed(visit.client, '/v1/audit-log', 'webhook.created', 'webhook.updated', 'Shop backend');
  });

  it('names the resources, links to them, and shows what changed', async () => {
    const page = await visit.open('/audit-log');
    const changed = page.getByRole('row').filter({ hasText: 'Webhook: updated' });
    await changed.getByText('event types').waitFor();
    await changed.getByText('order.*').waitFor();
    const created = page.getByRole('row').filter({ hasText: 'API key: created' }).first();
    await created.locator('.under').getByText('Shop backend').waitFor();
    await changed.getByRole('link', { name: 'Order service' }).click();
    await page.getByRole('heading', { level: 1, name: 'Order service' }).waitFor();
  });

  it('can be filtered by actor, action, resource and time, with the keyboard alone', async () => {
    const page = await visit.open('/audit-log');
    const rows = page.locator('tbody tr');
    await page.getByLabel('Action').focus();
    await page.keyboard.type('Webhook: updated');
    await page.getByRole('status').getByText('1 entry.').waitFor({ state: 'attached' });
    await page.getByLabel('User or API key').selectOption({ label: 'First live key (API key)' });
    await rows.getByText('Webhook: updated').waitFor();
    expect(await rows.count()).to.equal(1);
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('action'), searchParams.has('actor')]).to.deep.equal(['webhook.updated', true]);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByLabel('Id of a resource').fill('wh_unknown');
    await page.keyboard.press('Enter');
    await page.getByText('No entry matches these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rows.getByText('Webhook: created').waitFor();
    await page.goto(visit.addressOf('/audit-log?action=everything'));
    await page.getByText('action=everything').waitFor();
  });

  it('shows replays and resends with the names of their webhooks', async () => {
    const { body } = await visit.client.get('/v1/webhooks');
    const [{ id: webhookId }] = body['data'] as readonly [{ readonly id: string }];
    const since = new Date(Date.now() - 60_000).toISOString();
    await visit.client.post('/v1/replays', { webhookId, since, only: 'undelivered' });
    await untilListed(visit.client, '/v1/audit-log', 'replay.requested');
    const page = await visit.open('/audit-log?action=replay.*');
    const row = page.getByRole('row').filter({ hasText: 'Replay: requested' });
    await row.getByRole('link', { name: 'Order service' }).waitFor();
    await row.getByText('undelivered events').waitFor();
  });
});
