import type { Page } from 'playwright-core';

import { eventually } from '../../support/eventually.js';

/** Opens an address of the dashboard, and waits until it has loaded. */
export async function visitPlace(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const loading = page.locator('[aria-busy=true]');
  await eventually(`the end of loading at ${address}`, async () =>
    (await loading.count()) === 0 ? true : null,
  );
}
