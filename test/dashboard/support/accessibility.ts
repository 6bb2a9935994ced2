import axe from 'axe-core';
import type { Page } from 'playwright-core';

const run = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + '\\n' + failureSummary)))`;

/** The findings of axe-core in the present page, as text. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate<readonly string[]>(run);
}
