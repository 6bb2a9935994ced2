import { expect } from 'chai';

import { hostile, hostileData, seed, type Seeded } from './support/seed.js';
import { startVisit, type Visit } from './support/visitor.js';

describe('a user whose events are not delivered', () => {
  let visit: Visit;
  let seeded: Seeded;

  before(async () => {
    visit = await startVisit();
    seeded = await seed(visit);
  });

  after(async () => {
    await seeded.close();
    await visit.close();
  });

  it('sees the failing webhook on the first page, with a link to its events', async () => {
    const page = await visit.open('');
    const table = page.getByRole('table', { name: 'Webhooks that do not deliver' });
    await table.getByText(seeded.bad.url).waitFor();
    await table.getByRole('link', { name: 'Show events' }).click();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
    expect(page.url()).to.contain(`webhook=${seeded.badId}&status=retrying`);
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
    await page.getByText('1 of 1 event done').waitFor();
  });

  it('can find an event by its id', async () => {
    const page = await visit.open('/events');
    await page.getByLabel('Event id or type').fill(` ${seeded.eventId} `);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'order.completed' }).waitFor();
  });
});
