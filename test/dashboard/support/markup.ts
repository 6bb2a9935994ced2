import type { Page } from 'playwright-core';

/** Elements that can only come from text of other people. */
export async function foreignMarkup(page: Page): Promise<readonly string[]> {
  const title = await page.title();
  return [
    ...(await page.locator('#page :is(img, b, script, iframe)').allInnerTexts()),
    ...(title.endsWith('Postrider') ? [] : [title]),
  ];
}
