import { expect } from 'chai';
import type { Request } from 'playwright-core';

import { hostile, hostileData, seed, type Seeded } from './support/seed.js';
import { startVisit, type Visit } from './support/visitor.js';

const keyOf = (request: Request | undefined) => request?.headers()['idempotency-key'];
const untilOf = (request: Request | undefined) => (request?.postDataJSON() as { until: string }).until;

describe('a user whose events are not delivered', () => {
  let visit: Visit;
  let seeded: Seeded;

  before(async () => {
    visit = await startVisit();
    seeded = await seed(visit);
  });

  it('sees the failing webhook on the first page, with a link to its events', async () => {
    const page = await visit.open('');
    const table = page.getByRole('table', { name: 'Webhooks that do not deliver' });
    await table.getByRole('link', { name: seeded.bad.url }).waitFor();
    await table.getByText('Status 500').waitFor();
    await table.getByRole('link', { name: '1 Retrying' }).click();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
    expect(page.url()).to.contain(`webhook=${seeded.badId}&status=retrying`);
  });

  it('sees in the events of one webhook only the deliveries to that webhook', async () => {
    const page = await visit.open(`/events?webhook=${seeded.badId}`);
    const row = page.getByRole('row').filter({ hasText: 'order.completed' });
    await row.getByText('Retrying', { exact: true }).waitFor();
    expect(await row.locator('.badge').allInnerTexts()).to.deep.equal(['Retrying']);
  });

  it('sees without a click which delivery is being retried, and when', async () => {
    const page = await visit.open('');
    const table = page.getByRole('table', { name: 'Newest deliveries that are being retried' });
    const row = table.getByRole('row').filter({ hasText: seeded.bad.url });
    await row.getByRole('link', { name: 'order.completed' }).waitFor();
    expect(await row.getByRole('time').count()).to.equal(1);
  });

  it('sees which filters of the address the page ignores', async () => {
    const page = await visit.open('/events?status=lost&stauts=failed&webhook=' + seeded.badId);
    await page.getByText('status=lost, stauts=failed').waitFor();
    await page.getByRole('button', { name: 'Remove from address' }).click();
    await page.getByText('status=lost').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).to.equal(`?webhook=${seeded.badId}`);
    await page.goto(visit.addressOf('?range=year'));
    await page.getByText('The address contains an invalid filter.').waitFor();
  });

  it('sees the reason, with the response of the receiver', async () => {
    const page = await visit.open(`/events/${seeded.eventId}`);
    const delivery = page.getByRole('article').filter({ hasText: 'Retrying' });
    await delivery.getByText('Check the log of the receiver').waitFor();
    const attempt = delivery.getByRole('listitem').filter({ hasText: 'First attempt' });
    await attempt.getByText('First attempt').click();
    await attempt.getByText(hostile).waitFor();
  });

  it('sees and copies the data unchanged, with every digit and the order of its names', async () => {
    const page = await visit.open(`/events/${seeded.eventId}`);
    const shown = (await page.getByRole('region', { name: "The event's data" }).textContent()) ?? '';
    expect(shown.replaceAll(/\s+(?=["}])|(?<=:)\s/g, '').trim()).to.equal(hostileData);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy data' }).click();
    await page.getByText('Copied the data.').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).to.equal(hostileData);
  });

  it('can resend an event, and sees its delivery', async () => {
    const page = await visit.open(`/events/${seeded.eventId}`);
    const delivery = page.getByRole('article').filter({ hasText: seeded.bad.url });
    seeded.answer(200);
    await delivery.getByRole('button', { name: 'Resend event' }).click();
    await delivery.getByText(/^#\d+ Resend$/).waitFor();
    await delivery.getByText('Delivered', { exact: true }).waitFor();
  });

  it('can count and send missed events', async () => {
    const page = await visit.open(`/webhooks/${seeded.badId}/recover`);
    await page.getByLabel('All events').check();
    await page.getByRole('button', { name: 'Count events' }).click();
    await page.getByRole('button', { name: 'Send 1 event' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 event becomes a duplicate.').waitFor();
    await dialog.getByRole('button', { name: 'Send 1 event' }).click();
    await page.getByText('Sent: 1 delivered, 0 failed, of 1 event').waitFor();
  });

  it('sends the events that were counted, and with one key if it sends the request twice', async () => {
    const page = await visit.open(`/webhooks/${seeded.badId}/recover`);
    const sent: Request[] = [];
    const starts: Request[] = [];
    await page.route('**/v1/replays', async (route) => {
      const request = route.request();
      const isStart = request.method() === 'POST' && !request.postData()?.includes('dryRun');
      (isStart ? starts : sent).push(request);
      await (isStart && starts.length === 1 ? route.abort() : route.continue());
    });
    await page.getByLabel('All events').check();
    await page.getByRole('button', { name: 'Count events' }).click();
    await page.getByRole('button', { name: 'Send 1 event' }).waitFor();
    await visit.client.post('/v1/events', { type: 'order.later', data: {} });
    await page.getByRole('button', { name: 'Send 1 event' }).click();
    const send = page.getByRole('dialog').getByRole('button', { name: 'Send 1 event' });
    await send.click();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await send.click();
    await page.getByText('The replay has started.').waitFor();
    const [first, second] = starts;
    expect(keyOf(second)).to.equal(keyOf(first));
    expect(sent.map(keyOf)).to.not.include(keyOf(first));
    expect([untilOf(first), untilOf(second)]).to.deep.equal([untilOf(sent[1]), untilOf(sent[1])]);
  });

  it('can find an event by its id', async () => {
    const page = await visit.open('/events');
    await page.getByLabel('Id, type or text').fill(` ${seeded.eventId} `);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'order.completed' }).waitFor();
  });
});
