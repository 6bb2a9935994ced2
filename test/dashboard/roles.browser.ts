import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { seed, type Seeded } from './support/seed.js';
import { password, startVisit, type Visit } from './support/visitor.js';

describe('a viewer of the dashboard', () => {
  let visit: Visit;
  let seeded: Seeded;
  let page: Page;

  before(async () => {
    visit = await startVisit();
    seeded = await seed(visit);
    page = await join(visit, await invite(visit));
  });

  it('sees events and webhooks, without the buttons that change them', async () => {
    const offered: string[] = [];
    for (const place of [`/events/${seeded.eventId}`, '/webhooks', `/webhooks/${seeded.badId}`]) {
      await page.goto(visit.addressOf(place));
      await page.getByText(seeded.bad.url).first().waitFor();
      offered.push(
        ...(await page
          .locator('main')
          .getByRole('button', { name: /resend|retry|edit|delete|rotate|disable|test event/i })
          .allInnerTexts()),
      );
    }
    expect(offered).to.deep.equal([]);
  });

  it('reads tenants and the settings of the portal, without the buttons that change them', async () => {
    const offered: string[] = [];
    for (const [place, text] of [
      ['/tenants', seeded.tenantId],
      [`/tenants/${seeded.tenantId}`, 'Newest events'],
      ['/portal', 'Only owners of the account'],
    ] as const) {
      await page.goto(visit.addressOf(place));
      await page.getByText(text).first().waitFor();
      const content = page.locator('main');
      const names = /add|edit|delete|end portal|open portal|save/i;
      offered.push(
        ...(await content.getByRole('button', { name: names }).allInnerTexts()),
        ...(await content.getByRole('link', { name: names }).allInnerTexts()),
      );
    }
    expect(offered).to.deep.equal([]);
  });

  it('sees no links to keys, users and the audit log, and an explanation at their addresses', async () => {
    const places = await page.getByRole('navigation', { name: 'Dashboard pages' }).first().innerText();
    expect(places.split('\n').filter((text) => text !== '')).to.deep.equal([
      'Overview',
      'Events',
      'Attempts',
      'Webhooks',
      'Event types',
      'Tenants',
      'Plan and limits',
      'API reference',
    ]);
    await page.goto(visit.addressOf('/users'));
    await page.getByRole('alert').waitFor();
  });
});

/** Invites a viewer as the owner, and reads the link from the dialog that shows it once. */
async function invite(visit: Visit): Promise<string> {
  const owner = await visit.open('/users');
  await owner.getByRole('button', { name: 'Invite user' }).click();
  await owner.getByLabel('Email').fill('viewer@example.com');
  await owner.getByRole('dialog').getByLabel('Role').selectOption('Viewer');
  await owner.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
  return (await owner.locator('.secret-text').textContent()) ?? '';
}

async function join(visit: Visit, link: string): Promise<Page> {
  const page = await visit.newPage();
  // The service of the tests does not know its own port, which is part of the link.
  await page.goto(visit.addressOf(`/link${new URL(link).hash}`));
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return page;
}
