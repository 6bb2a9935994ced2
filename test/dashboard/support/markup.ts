import type { Page } from 'playwright-core';

/** Elements that only what came from others can have made. */
export async function foreignMarkup(page: Page): Promise<readonly string[]> {
  const title = await page.title();
  return [
    ...(await page.locator('#page :is(img, b, script, iframe)').allInnerTexts()),
    ...(title.endsWith('Postrider') ? [] : [title]),
  ];
}
