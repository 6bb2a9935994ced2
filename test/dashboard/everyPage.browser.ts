import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { pagePlaces } from '../../dashboard/layout/pagePlaces.js';
import { accessibilityFaults, contrastFaults } from './support/accessibility.js';
import { foreignMarkup } from './support/markup.js';
import { seed, type Seeded } from './support/seed.js';
import { visitPlace } from './support/visitPlace.js';
import { startVisit, type Visit } from './support/visitor.js';

const height = 900;
const [wide, middle, narrow] = [1440, 820, 390];
/** The resource whose page is checked, by the first part of the path. */
const idNames = {
  events: 'eventId',
  webhooks: 'badId',
  'event-types': 'typeName',
  tenants: 'tenantId',
} as const;
/** Further states of pages, by their addresses. */
const states = [
  '/events?status=failed&type=order.completed&within=own',
  '/events?search=nine&within=month',
  '/events?tenant=null&validation=invalid',
  '/webhooks?tenant=*',
  '/webhooks/new?tenant=customer-42',
  '/tenants?search=nothing',
  '/attempts?status=failed&code=500&within=own',
  '/audit-log?action=webhook.*&resource=wh_unknown',
  '/test',
  '/test/events',
  '/nothing',
];

/** Each page is loaded once, and then checked in each theme and width. */
describe('every page of the dashboard', () => {
  let visit: Visit;
  let seeded: Seeded;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    seeded = await seed(visit);
    page = await visit.open('');
  });

  /** The address of a page of the table of pages. */
  function addressOf(place: string): string {
    const [, first] = place.split('/');
    const name = Object.entries(idNames).find(([part]) => part === first)?.[1];
    const filled = name === undefined ? place : place.replace(':id', seeded[name]);
    return visit.addressOf(filled.replace(':innerId', seeded.attemptId));
  }

  async function show(width: number, theme: 'light' | 'dark'): Promise<void> {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme });
  }

  for (const place of [...pagePlaces, ...states]) {
    it(`has no findings of axe-core and fits each screen: ${place}`, async () => {
      await show(wide, 'light');
      await visitPlace(page, addressOf(place === '/' ? '' : place));
      const faults: Record<string, readonly string[]> = {
        wide: await accessibilityFaults(page),
        markup: await foreignMarkup(page),
      };
      await show(wide, 'dark');
      faults['wide and dark'] = await contrastFaults(page);
      await show(narrow, 'dark');
      faults['narrow and dark'] = await contrastFaults(page);
      await show(narrow, 'light');
      faults['narrow'] = await accessibilityFaults(page);
      faults['too wide for a phone'] = await tooWide(page);
      await show(middle, 'light');
      faults['too wide for a tablet'] = await tooWide(page);
      const found = Object.entries(faults).filter(([, texts]) => texts.length > 0);
      expect(Object.fromEntries(found)).to.deep.equal({});
    });
  }
});

async function tooWide(page: Page): Promise<readonly string[]> {
  const beyond = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return beyond > 0 ? [`scrolls sideways by ${beyond} pixels`] : [];
}
