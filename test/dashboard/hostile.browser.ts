import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';

import { foreignMarkup } from './support/markup.js';
import { hostile, seed, type Seeded } from './support/seed.js';
import { visitPlace } from './support/visitPlace.js';
import { startVisit, type Visit } from './support/visitor.js';

/** Members of responses that contain text of other people. */
const foreignTexts = new Set([
  'action',
  'code',
  'description',
  'email',
  'from',
  'last4',
  'message',
  'name',
  'responseBody',
  'to',
]);

/** A response in which every text that other people could have written is markup. */
function poisoned(key: string, value: unknown): unknown {
  if (typeof value !== 'string') {
    return value;
  }
  if (key === 'url') {
    return `https://example.com/${hostile}`;
  }
  return foreignTexts.has(key) || (key === 'type' && value.includes('.')) ? hostile : value;
}

async function poison(route: Route): Promise<void> {
  if (route.request().method() !== 'GET') {
    await route.continue();
    return;
  }
  const response = await route.fetch();
  const answer: unknown = JSON.parse(await response.text(), poisoned);
  await route.fulfill({ response, json: answer });
}

describe('the dashboard with markup in all text of other people', () => {
  let visit: Visit;
  let seeded: Seeded;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    seeded = await seed(visit);
    page = await visit.open('');
    await page.route('**/v1/**', poison);
  });

  after(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  /** Opens all closed details, and returns the faults. */
  async function faults(): Promise<readonly string[]> {
    await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
    const isShown = await page.getByText(hostile).first().isVisible();
    return [...(await foreignMarkup(page)), ...(isShown ? [] : ['the text is not there'])];
  }

  async function visitAt(place: string): Promise<void> {
    await visitPlace(page, visit.addressOf(place));
  }

  it('shows the markup as text on the overview and in lists', async () => {
    const found: Record<string, readonly string[]> = {};
    for (const place of [
      '',
      '/events',
      '/webhooks',
      '/tenants',
      '/api-keys',
      '/users',
      '/audit-log',
      '/plan',
    ]) {
      await visitAt(place);
      found[place] = await faults();
    }
    expect(Object.values(found).flat(), JSON.stringify(found)).to.deep.equal([]);
  });

  it('shows the markup as text in an event, its attempts, and the responses of receivers', async () => {
    await visitAt(`/events/${seeded.eventId}`);
    await page.locator('details.attempt').first().waitFor();
    expect(await faults()).to.deep.equal([]);
    const response = await page.locator('pre.response').first().textContent();
    expect(response?.split('\n\n').at(-1)).to.equal(hostile);
  });

  it('shows the markup as text in a webhook, its form, and its missed events', async () => {
    await visitAt(`/webhooks/${seeded.badId}/recover`);
    const recovering = await faults();
    await visitAt(`/webhooks/${seeded.badId}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').waitFor();
    expect([...recovering, ...(await faults())]).to.deep.equal([]);
    expect(await page.getByLabel('Description').inputValue()).to.equal(hostile);
  });

  it('shows the markup as text in a tenant, its form, and its deletion', async () => {
    await visitAt(`/tenants/${seeded.tenantId}`);
    const shown = await faults();
    await page.getByRole('button', { name: 'Edit tenant' }).click();
    const entered = await page.getByLabel('Value 1').inputValue();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Delete tenant' }).click();
    await page.getByRole('dialog').getByText(hostile).waitFor();
    expect([...shown, ...(await foreignMarkup(page)), entered]).to.deep.equal([hostile]);
  });

  for (const [place, button] of [
    ['/api-keys', /^Delete/],
    ['/users', /^Remove user/],
    ['/users', /^Create link/],
  ] as const) {
    it(`shows the markup as text in the confirmation ${button.source} at ${place}`, async () => {
      await visitAt(place);
      await page.locator('table').getByRole('button', { name: button }).first().click();
      await page.getByRole('dialog').getByText(hostile).waitFor();
      expect(await foreignMarkup(page)).to.deep.equal([]);
    });
  }
});
