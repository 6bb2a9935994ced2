import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { startVisit, type Visit } from './support/visitor.js';

const focused = 'document.activeElement?.textContent ?? ""';
/** Null if the focused element, or the element that represents it, shows the focus. */
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

  it('opens an event, and moves the focus to its heading', async () => {
    page = await visit.open('/events');
    await page.getByRole('link', { name: 'order.completed' }).focus();
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'order.completed' }).waitFor();
    expect(await page.evaluate<string>('document.activeElement?.tagName')).to.equal('H1');
  });

  it('keeps the focus in a dialog, closes the dialog with Escape, and returns the focus', async () => {
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

  it('keeps a secret visible when Escape is pressed', async () => {
    page = await visit.open('/api-keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('Shop');
    await press('Enter');
    await page.getByText('Copy the API key now').waitFor();
    await press('Escape', 'Escape', 'Escape');
    await page.getByRole('button', { name: 'I have copied the key' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('shows the focus on every element', async () => {
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

  it('announces the number of events that match a filter', async () => {
    page = await visit.open('/events');
    await page.getByLabel('Status').focus();
    await press('F');
    await page.getByRole('status').getByText('No events.').waitFor({ state: 'attached' });
  });

  it('opens the menu of a narrow page, and returns the focus', async () => {
    page = await visit.open('/events', { width: 390 });
    await page.getByRole('button', { name: 'Open menu' }).focus();
    await press('Enter');
    await page.getByRole('dialog', { name: 'Menu' }).waitFor();
    await press('Escape');
    expect(await page.evaluate<string>('document.activeElement?.ariaLabel')).to.equal('Open menu');
  });

  it('changes the theme, and stores it', async () => {
    page = await visit.open('');
    await page.getByRole('radio', { name: 'System default' }).first().focus();
    await press('ArrowRight', 'ArrowRight');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.evaluate<string>('document.documentElement.dataset.theme')).to.equal('dark');
  });

  it('changes the mode, in the address and on the page', async () => {
    page = await visit.open('/events');
    await page.getByRole('navigation', { name: 'Mode' }).getByRole('link', { name: 'Test' }).focus();
    await press('Enter');
    await page.getByText('Test mode.').waitFor();
    expect(page.url()).to.equal(visit.addressOf('/test/events'));
  });
});
