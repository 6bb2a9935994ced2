import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { eventually } from '../support/eventually.js';
import { untilListed } from './support/untilListed.js';
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
    await untilListed(visit.client, '/v1/events', 'order.completed');
  });

  async function press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await page.keyboard.press(key);
    }
  }

  /** Waits for the value of an expression, because the page moves its focus after it was drawn. */
  async function becomes(expression: string, expected: string): Promise<void> {
    await eventually(`${expected} as the value of ${expression}`, async () =>
      (await page.evaluate<string>(expression)) === expected ? true : null,
    );
  }

  it('skips to the content with the first key', async () => {
    page = await visit.open('/events');
    await press('Tab');
    expect(await page.evaluate<string>(focused)).to.equal('Skip to content');
    await press('Enter');
    await becomes('document.activeElement?.id', 'content');
  });

  it('reaches the first item with three keys', async () => {
    page = await visit.open('/events');
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
    await press('Tab', 'Tab', 'Enter');
    expect(await page.evaluate<string>(focused)).to.equal('order.completed');
  });

  it('searches, moves through items and shows its shortcuts', async () => {
    await visit.client.post('/v1/events', { type: 'order.second', data: {} });
    await untilListed(visit.client, '/v1/events', 'order.second');
    page = await visit.open('/plan');
    // The page may not listen to keys yet when its heading appears.
    await eventually('the list of events', async () => {
      await press('Control+k');
      return page.url().endsWith('/events#search') ? true : null;
    });
    await page.getByRole('link', { name: 'order.second' }).waitFor();
    await eventually('the focus in the search field', async () =>
      (await page.evaluate<string>('document.activeElement?.type')) === 'search' ? true : null,
    );
    await press('j');
    expect(await page.getByLabel('Id, type or text').inputValue()).to.equal('j');
    await page.evaluate('document.activeElement?.blur()');
    await press('j', 'j');
    expect(await page.evaluate<string>(focused)).to.equal('order.completed');
    await press('k', '/');
    expect(await page.evaluate<string>('document.activeElement?.type')).to.equal('search');
    await page.evaluate('document.activeElement?.blur()');
    await press('j', 'Enter');
    await page.getByRole('heading', { level: 1, name: 'order.second' }).waitFor();
    await press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.getByLabel('Use shortcuts of a single key').uncheck();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press('?');
    expect(await page.getByRole('dialog').count()).to.equal(0);
  });

  it('opens an event, and moves the focus to its heading', async () => {
    page = await visit.open('/events');
    await page.getByRole('link', { name: 'order.completed' }).focus();
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'order.completed' }).waitFor();
    await becomes('document.activeElement?.tagName', 'H1');
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
    await becomes(focused, 'Create key');
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
    await becomes('document.activeElement?.ariaLabel', 'Open menu');
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
