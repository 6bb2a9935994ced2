import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { eventually } from '../support/eventually.js';
import { startVisit, type Visit } from './support/visitor.js';

const eventCount = 1000;
const atOnce = 50;
const pageSize = 25;

/** The deadline for the list of all events on a busy machine, in milliseconds. */
const listedMs = 60_000;

describe('a list of a thousand events', function () {
  this.timeout(listedMs + 60_000);
  let visit: Visit;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    for (let posted = 0; posted < eventCount; posted += atOnce) {
      await Promise.all(
        Array.from({ length: atOnce }, (_, index) =>
          visit.client.post('/v1/events', { type: `order.number_${posted + index}`, data: {} }),
        ),
      );
    }
    await eventually(
      'all of them in the list',
      async () => ((await countListed(visit)) === eventCount ? true : null),
      listedMs,
    );
    page = await visit.open('/events', { width: 820 });
  });

  /** The rows of the list, once they match the address. A page opens before its list has loaded. */
  async function shown(): Promise<readonly string[]> {
    await page.locator('.loaded[aria-busy=false]').waitFor();
    return page.locator('tbody .row-link').allInnerTexts();
  }

  async function turn(name: 'Newest' | 'Newer' | 'Older'): Promise<readonly string[]> {
    const before = page.url();
    await page.getByRole('link', { name, exact: true }).click();
    await eventually('another page', () => (page.url() === before ? null : true));
    return shown();
  }

  it('has ten events on a page on a phone', async () => {
    const phone = await visit.open('/events', { width: 390 });
    await phone.locator('.loaded[aria-busy=false]').waitFor();
    expect(await phone.locator('tbody .row-link').count()).to.equal(10);
    await phone.context().close();
  });

  it('is divided into pages, each event once', async () => {
    const pages = [await shown(), await turn('Older'), await turn('Older')];
    expect(pages.map(({ length }) => length)).to.deep.equal([pageSize, pageSize, pageSize]);
    expect(new Set(pages.flat()).size).to.equal(3 * pageSize);
    expect([await turn('Newer'), await turn('Newest')]).to.deep.equal([pages[1], pages[0]]);
  });

  it('scrolls and moves the focus to the heading of each page', async () => {
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    await turn('Older');
    // The page moves its focus after it was drawn.
    await eventually('the focus at the heading', async () => {
      const state = await page.evaluate<readonly unknown[]>(
        '[window.scrollY, document.activeElement.tagName]',
      );
      expect(state).to.deep.equal([0, 'H1']);
      return true;
    });
  });

  it('can be narrowed to one type', async () => {
    await page.getByLabel('Id, type or text').fill('order.number_500');
    await page.keyboard.press('Enter');
    await eventually('the one event', async () =>
      (await shown()).join() === 'order.number_500' ? true : null,
    );
  });
});

/** Counts the events on all pages. */
async function countListed({ client }: Visit): Promise<number> {
  let count = 0;
  let query = '?limit=100';
  for (;;) {
    const { body } = await client.get(`/v1/events${query}`);
    const data = body['data'] as readonly { readonly id: string }[];
    count += data.length;
    if (body['hasMore'] !== true) {
      return count;
    }
    query = `?limit=100&startingAfter=${data.at(-1)?.id ?? ''}`;
  }
}
