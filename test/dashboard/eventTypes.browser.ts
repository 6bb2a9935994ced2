import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { accessibilityFaults } from './support/accessibility.js';
import { untilListed } from './support/untilListed.js';
import { startVisit, type Visit } from './support/visitor.js';

const schema = '{"properties": {"amount": {"type": "integer", "minimum": 12345678901234567890}}}';

describe('the event types of an account in the dashboard', () => {
  let visit: Visit;
  let page: Page;

  before(async () => {
    visit = await startVisit();
  });

  afterEach(() => page.context().close());

  it('lead from a dry run over warnings to the rejection of events', async () => {
    await visit.client.post('/v1/events', { type: 'order.checked', data: { amount: 'four' } });
    page = await visit.open('/event-types/new/form');
    await page.getByLabel('Name').fill('order.checked');
    await page.getByLabel('Schema').fill(schema);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Add event type' }).click();
    await page.getByRole('heading', { name: 'order.checked' }).waitFor();

    expect(await page.getByRole('button', { name: 'Start warnings' }).count()).to.equal(0);
    await page.getByRole('button', { name: 'Check stored events' }).click();
    await page.getByText('1 event of 1 checked event would be rejected.').waitFor();
    await page.getByText('data.amount').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Start warnings' }).click();
    await page.getByRole('dialog').getByText('records whether it matches').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Start warnings' }).click();
    await page.getByRole('button', { name: 'Stop checks' }).waitFor();

    await page.getByRole('button', { name: 'Check stored events' }).click();
    await page.getByRole('button', { name: 'Start to reject' }).click();
    await page.getByRole('dialog').getByText('1 event of 1 checked event would be rejected.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Start to reject' }).click();
    await page.getByRole('button', { name: 'Back to warnings' }).waitFor();
  });

  it('keep every digit of a schema that is loaded and saved', async () => {
    page = await visit.open('/event-types/order.checked');
    await page.getByRole('button', { name: 'Edit event type' }).click();
    await page.getByLabel('Description').fill('A changed text');
    await page.getByRole('button', { name: 'Save event type' }).click();
    await page.getByText('A changed text').waitFor();
    const { text } = await visit.client.get('/v1/event-types/order.checked');
    expect(text).to.include(schema);
  });

  it('show an error of the service at its field', async () => {
    page = await visit.open('/event-types/new/form');
    await page.getByLabel('Name').fill('order.wrong');
    await page.getByLabel('Schema').fill('{"type": "nonsense"}');
    await page.getByRole('button', { name: 'Add event type' }).click();
    await page.locator('.field-error', { hasText: 'type' }).waitFor();
  });

  it('show at each checked event whether its data matches the schema', async () => {
    await visit.client.put('/v1/event-types/order.warned', {
      schema: JSON.parse(schema) as object,
      validation: 'warn',
    });
    await visit.client.post('/v1/events', { type: 'order.unchecked', data: {} });
    await visit.client.post('/v1/events', '{"type":"order.warned","data":{"amount":12345678901234567890}}');
    // Once a PUT is answered, the API checks all later events.
    const { body } = await visit.client.post('/v1/events', { type: 'order.warned', data: { amount: 'x' } });
    await untilListed(visit.client, `/v1/events/${String(body['id'])}`, '"status":"invalid"');
    await untilListed(visit.client, '/v1/events', 'order.unchecked', '"status":"invalid"');
    page = await visit.open('/events?type=order.warned+order.unchecked');
    const rows = page.locator('tbody tr');
    await rows.first().getByText('Invalid data').waitFor();
    await rows.filter({ hasText: 'Valid data' }).first().waitFor();
    const unchecked = rows.filter({ hasText: 'order.unchecked' });
    expect(await unchecked.getByText(/data/i).count()).to.equal(0);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await rows.first().getByRole('link', { name: 'order.warned' }).click();
    await page.getByText('The data does not match the schema of the event type.').waitFor();
    await page.getByRole('note').getByText('data.amount').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await visit.client.delete('/v1/event-types/order.warned');
  });

  it('are offered in the form of a webhook, deprecated types last', async () => {
    for (const [name, deprecated] of [
      ['a.old', true],
      ['b.new', false],
    ] as const) {
      page = await visit.open('/event-types/new/form');
      await page.getByLabel('Name').fill(name);
      await (deprecated ? page.getByLabel(/Deprecated/).check() : Promise.resolve());
      await page.getByRole('button', { name: 'Add event type' }).click();
      await page.getByRole('heading', { name }).waitFor();
      await page.context().close();
    }
    page = await visit.open('/webhooks/new');
    await page.getByLabel('Selected types').check();
    const options = page.getByRole('group', { name: 'Event types of the catalog' });
    await options.getByLabel('b.new').check();
    expect(await options.locator('label').allInnerTexts()).to.deep.equal([
      'b.new',
      'order.checked',
      'a.old Deprecated',
    ]);
    expect(await page.getByLabel('Event types', { exact: true }).inputValue()).to.equal('b.new');
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });
});
