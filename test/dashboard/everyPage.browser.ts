import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { accessibilityFaults } from './support/accessibility.js';
import { foreignMarkup } from './support/markup.js';
import { seed, type Seeded } from './support/seed.js';
import { visitPlace } from './support/visitPlace.js';
import { startVisit, type View, type Visit } from './support/visitor.js';

describe('every page of the dashboard', () => {
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

  function places(): readonly string[] {
    return [
      '',
      '/events',
      '/events?status=failed&type=order.completed&within=own',
      `/events/${seeded.eventId}`,
      '/webhooks',
      '/webhooks/new',
      `/webhooks/${seeded.badId}`,
      `/webhooks/${seeded.badId}/recover`,
      '/api-keys',
      '/users',
      '/audit-log',
      '/plan',
      '/test',
      '/test/events',
      '/nothing',
    ];
  }

  /** The findings of `check` by address, for addresses with findings. */
  async function faultsOf(view: View, check: (page: Page) => Promise<readonly string[]>) {
    const page = await visit.open('', view);
    const faults: Record<string, readonly string[]> = {};
    for (const place of places()) {
      await visitPlace(page, visit.addressOf(place));
      const found = await check(page);
      if (found.length > 0) {
        faults[place] = found;
      }
    }
    return faults;
  }

  for (const [theme, width] of [
    ['light', 1440],
    ['dark', 390],
  ] as const) {
    it(`has no findings of axe-core, in the ${theme} theme, ${width} pixels wide`, async () => {
      expect(await faultsOf({ theme, width }, accessibilityFaults)).to.deep.equal({});
    });
  }

  for (const width of [390, 820]) {
    it(`fits a screen of ${width} pixels, also with long ids and addresses`, async () => {
      expect(await faultsOf({ width }, tooWide)).to.deep.equal({});
    });
  }

  it('shows markup in names, addresses and responses as text', async () => {
    expect(await faultsOf({}, foreignMarkup)).to.deep.equal({});
  });
});

async function tooWide(page: Page): Promise<readonly string[]> {
  const beyond = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return beyond > 0 ? [`scrolls sideways by ${beyond} pixels`] : [];
}
