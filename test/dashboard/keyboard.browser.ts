import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { startVisit, type Visit } from './support/visitor.js';

const focused = 'document.activeElement?.textContent ?? ""';

describe('the dashboard without a mouse', () => {
  let visit: Visit;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    await visit.client.post('/v1/events', { type: 'order.completed', data: {} });
  });

  after(async () => {
    await visit.close();
  });

  async function press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await page.keyboard.press(key);
    }
  }

  it('skips to the content with the first key', async () => {
    page = await visit.open('/events');
    await press('Tab');
    expect(await page.evaluate<string>(focused)).to.equal('Skip to the content');
    await press('Enter');
    expect(await page.evaluate<string>('document.activeElement?.id')).to.equal('content');
  });

  it('opens an event, and is at its heading', async () => {
    page = await visit.open('/events');
    await page.getByRole('link', { name: 'order.completed' }).focus();
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'order.completed' }).waitFor();
    expect(await page.evaluate<string>('document.activeElement?.tagName')).to.equal('H1');
  });

  it('keeps the focus in a dialog, closes it with Escape, and gives the focus back', async () => {
    page = await visit.open('/api-keys');
    await page.getByRole('button', { name: 'Create a key' }).focus();
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await press('Tab', 'Tab', 'Tab');
    expect(await page.evaluate<boolean>('document.activeElement?.closest("dialog") !== null')).to.equal(true);
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate<string>(focused)).to.equal('Create a key');
  });

  it('does not lose a secret to Escape', async () => {
    page = await visit.open('/api-keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('Shop');
    await press('Enter');
    await page.getByText('Copy it now').waitFor();
    await press('Escape', 'Escape');
    expect(await page.getByText('Copy it now').isVisible()).to.equal(true);
  });

  it('changes the theme and keeps it', async () => {
    page = await visit.open('');
    await page.getByRole('radio', { name: 'Follow the system' }).first().focus();
    await press('ArrowRight', 'ArrowRight');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.evaluate<string>('document.documentElement.dataset.theme')).to.equal('dark');
  });

  it('changes the mode, which the address and the page say', async () => {
    page = await visit.open('/events');
    await page.getByRole('navigation', { name: 'Mode' }).getByRole('link', { name: 'Test' }).focus();
    await press('Enter');
    await page.getByText('Test mode.').waitFor();
    expect(page.url()).to.equal(visit.addressOf('/test/events'));
  });
});
