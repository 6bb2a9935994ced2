import { readFile } from 'node:fs/promises';

import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { seed, type Seeded } from './support/seed.js';
import { startVisit, type Visit } from './support/visitor.js';

describe('the attempts of an account in the dashboard', () => {
  let visit: Visit;
  let seeded: Seeded;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    seeded = await seed(visit);
  });

  afterEach(() => page.context().close());

  it('are listed with filters in the address, and lead to their pages and events', async () => {
    page = await visit.open('/attempts');
    const rows = page.locator('tbody tr');
    await rows.first().waitFor();
    await page.getByLabel('Result').selectOption('Failed');
    await page.getByLabel('Status code').fill('500');
    await page.keyboard.press('Enter');
    await page.waitForURL(/code=500/);
    await rows.getByText('200').first().waitFor({ state: 'detached' });
    await rows.getByText(seeded.bad.url).first().waitFor();
    expect(await rows.getByText(seeded.good.url).count()).to.equal(0);
    await rows.getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: /^Attempt #/ }).waitFor();
    await page.locator('main').getByRole('link', { name: 'order.completed' }).click();
    await page.getByRole('heading', { level: 1, name: 'order.completed' }).waitFor();
  });

  it('name a filter in the address that the page ignores', async () => {
    page = await visit.open('/attempts?code=abc&stauts=failed');
    await page.getByText('code=abc, stauts=failed').waitFor();
    await page.locator('tbody tr').first().waitFor();
  });

  it('can be listed from a time on', async () => {
    page = await visit.open('/attempts');
    await page.locator('tbody tr').first().waitFor();
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Jump to a time');
    await page.getByLabel('Newest first, before').fill('2026-01-01T00:00');
    await page.getByText('No attempt matches these filters').waitFor();
    expect(page.url()).to.contain('within=jump&until=');
  });

  it('have times in the time zone of the user’s choice', async () => {
    page = await visit.open('/attempts');
    const time = page.locator('tbody time').first();
    await time.waitFor();
    await page.getByRole('radio', { name: 'UTC' }).first().check();
    const exact = (await time.getAttribute('dateTime')) ?? '';
    expect(await time.innerText()).to.match(new RegExp(`${exact.slice(11, 19)} UTC$`));
    await page.reload();
    await time.waitFor();
    expect(await time.innerText()).to.match(/UTC$/);
  });

  it('can be exported as CSV and JSON, with the filters of the page', async () => {
    page = await visit.open('/attempts?status=failed');
    for (const [format, start] of [
      ['CSV', 'id,eventId,webhookId'],
      ['JSON', '[\n{"id":"att_'],
    ] as const) {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByLabel('Format').selectOption(format);
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ]);
      const text = await readFile(await file.path(), 'utf8');
      expect(text.startsWith(start)).to.equal(true);
      expect([text.includes(seeded.badId), text.includes(seeded.goodId)]).to.deep.equal([true, false]);
    }
  });

  it('link to the API reference from every page', async () => {
    page = await visit.open('/attempts');
    const link = page.getByRole('link', { name: 'API reference' }).first();
    const address = new URL((await link.getAttribute('href')) ?? '', page.url());
    expect((await fetch(address)).status).to.equal(200);
  });
});
