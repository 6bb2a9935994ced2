import axe from 'axe-core';
import type { Page } from 'playwright-core';

const run = (
  options: object,
) => `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...options })})
  .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => id + ': ' + html + '\\n' + failureSummary)))`;

/** The findings of axe-core in the present page, as text. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  return faultsOf(page, {});
}

/** The findings of axe-core that depend on the theme. */
export async function contrastFaults(page: Page): Promise<readonly string[]> {
  return faultsOf(page, { runOnly: ['color-contrast'] });
}

async function faultsOf(page: Page, options: object): Promise<readonly string[]> {
  if ((await page.evaluate<string>('typeof axe')) === 'undefined') {
    await page.evaluate(axe.source);
  }
  return page.evaluate<readonly string[]>(run(options));
}
