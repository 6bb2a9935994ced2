import type { Page } from 'playwright-core';

/** The sentences and badges of the dashboard which say that deliveries have no trouble. */
const sentences = /No undelivered events\.|Everything was delivered|All events? (were|was) delivered/;

const goodTexts = `[...document.querySelectorAll('main')].flatMap((main) => [
  ...main.innerText.split('\\n').filter((line) => ${String(sentences)}.test(line)),
  ...[...main.querySelectorAll('.badge-good')].map(({ innerText }) => innerText).filter((text) => text === 'Active'),
])`;

/** The texts of the page which say that deliveries have no trouble at present. */
export async function goodStates(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(goodTexts);
}
