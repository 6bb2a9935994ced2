import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { eventually } from '../support/eventually.js';
import { accessibilityFaults } from './support/accessibility.js';
import { untilListed } from './support/untilListed.js';
import { startVisit, type Visit } from './support/visitor.js';

describe('the search of events in the dashboard', () => {
  let visit: Visit;
  let page: Page;
  let id: string;

  before(async () => {
    visit = await startVisit();
    const post = async (type: string, name: string) =>
      String((await visit.client.post('/v1/events', { type, data: { name } })).body['id']);
    await post('order.completed', 'Grace Hopper');
    id = await post('user.signup', 'Zoë Byron');
    await post('order.refunded', 'mail@example.com');
    await untilListed(visit.client, '/v1/events', 'order.completed', 'user.signup', 'order.refunded');
  });

  beforeEach(async () => {
    page = await visit.open('/plan');
  });

  afterEach(() => page.context().close());

  /** Searches from any page, with the keyboard alone. */
  async function search(text: string): Promise<void> {
    // The page may not listen to keys yet when its heading appears.
    await eventually('the focus in the search field', async () => {
      await page.keyboard.press('Control+k');
      return (await page.evaluate<string>('document.activeElement?.type')) === 'search' ? true : null;
    });
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  }

  async function found(types: readonly string[]): Promise<void> {
    await eventually(`only ${types.join()} in the list`, async () => {
      const shown = await page.locator('tbody .row-link').allInnerTexts();
      return shown.join() === types.join() ? true : null;
    });
  }

  it('finds an event by a text of its data, in upper or lower case, and announces the number', async () => {
    await search('zoë byron');
    await found(['user.signup']);
    await page.getByText('The search is complete, back to').waitFor();
    await page.getByRole('status').getByText('1 event.').waitFor({ state: 'attached' });
    expect(new URL(page.url()).searchParams.get('search')).to.equal('zoë byron');
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('finds an event by a part of its id', async () => {
    await search(id.slice(-8).toLowerCase());
    await found(['user.signup']);
  });

  it('opens an event by its id', async () => {
    await search(id);
    await page.getByRole('heading', { level: 1, name: 'user.signup' }).waitFor();
  });

  it('finds events by type or by a pattern of types', async () => {
    await search('order.*');
    await found(['order.refunded', 'order.completed']);
  });

  it('searches for a text that looks like a type, if the user chooses so', async () => {
    await search('example.com');
    await page.getByText('No event matches these filters').waitFor();
    await page.getByRole('link', { name: 'Search for this text in the data instead' }).click();
    await found(['order.refunded']);
  });

  it('says how long a text must be', async () => {
    await search('ab');
    await page.getByText('Enter 3 to 200 characters').waitFor();
    expect(new URL(page.url()).search).to.equal('');
  });

  it('shows how far an incomplete search has come, and continues at its cursor', async () => {
    const cut = {
      from: '2026-11-21T06:46:41.388Z',
      to: '2026-11-20T06:46:41.388Z',
      complete: false,
      cursor: id,
    };
    await page.route('**/v1/events?*search=hopper*', (route) =>
      route.request().url().includes('startingAfter')
        ? route.continue()
        : route.fulfill({ json: { data: [], hasMore: true, searched: cut } }),
    );
    await search('hopper');
    await page.getByRole('heading', { name: 'No event found so far' }).waitFor();
    await page.getByText('Searched back to').waitFor();
    expect(await page.getByText('No event matches').count()).to.equal(0);
    await page.getByRole('link', { name: 'Continue search in older events' }).click();
    await found(['order.completed']);
  });
});
