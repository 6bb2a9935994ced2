import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { startVisit, type Visit } from './support/visitor.js';

const focused = 'document.activeElement?.textContent ?? ""';
/** Null where the element that has the focus shows it: by itself, or by what stands for it. */
const unseenFocus = `(() => {
  const element = document.activeElement;
  const beside = element.nextElementSibling;
  const looks = [getComputedStyle(element), getComputedStyle(element, '::after'), ...(beside === null ? [] : [getComputedStyle(beside)])];
  return looks.some(({ outlineStyle, outlineWidth }) => outlineStyle === 'solid' && outlineWidth === '2px')
    ? null
    : element.outerHTML;
})()`;
const controls = 45;

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
    expect(await page.evaluate<string>(focused)).to.equal('Skip to content');
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
    await page.getByRole('button', { name: 'Create key' }).focus();
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await press('Tab', 'Tab', 'Tab');
    expect(await page.evaluate<boolean>('document.activeElement?.closest("dialog") !== null')).to.equal(true);
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate<string>(focused)).to.equal('Create key');
  });

  it('does not lose a secret to Escape', async () => {
    page = await visit.open('/api-keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('Shop');
    await press('Enter');
    await page.getByText('Copy it now').waitFor();
    await press('Escape', 'Escape', 'Escape');
    await page.getByRole('button', { name: 'I have copied the key' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('shows where the focus is, whatever has it', async () => {
    const unseen: string[] = [];
    for (const place of ['', '/events']) {
      page = await visit.open(place);
      await page.locator('.loaded').first().waitFor();
      for (let count = 0; count < controls; count += 1) {
        await press('Tab');
        const found = await page.evaluate<string | null>(unseenFocus);
        unseen.push(...(found === null || found.startsWith('<body') ? [] : [found]));
      }
    }
    expect(unseen).to.deep.equal([]);
  });

  it('says aloud how many events a filter leaves', async () => {
    page = await visit.open('/events');
    await page.getByLabel('Status').focus();
    await press('F');
    await page.getByRole('status').getByText('No events.').waitFor({ state: 'attached' });
  });

  it('opens the menu of a narrow page, and gives the focus back', async () => {
    page = await visit.open('/events', { width: 390 });
    await page.getByRole('button', { name: 'Open menu' }).focus();
    await press('Enter');
    await page.getByRole('dialog', { name: 'Menu' }).waitFor();
    await press('Escape');
    expect(await page.evaluate<string>('document.activeElement?.ariaLabel')).to.equal('Open menu');
  });

  it('changes the theme and keeps it', async () => {
    page = await visit.open('');
    await page.getByRole('radio', { name: 'System default' }).first().focus();
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
