import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { eventually } from '../support/eventually.js';
import { seed, type Seeded } from './support/seed.js';
import { visitPlace } from './support/visitPlace.js';
import { startVisit, type Visit } from './support/visitor.js';

/** The lines of the page that contain a zero outside of an id, or that say that nothing exists. */
const emptyLines = `document.body.innerText.replaceAll(/[a-z]+_[0-9A-Z]{26}/g, 'id').split('\\n').filter((line) => /(^|[^\\d.,:])0([^\\d.,:]|$)|\\bno\\b|\\bnone\\b|nothing|everything/i.test(line))`;

/** The time in which a failure must appear on a busy machine, in milliseconds. */
const shownMs = 20_000;

/** The request for the names of webhooks, and the pages that show no names. */
const names = '/v1/webhooks?limit';
const withoutNames = [
  ...['/webhooks/:webhook', '/tenants', '/tenants/:tenant', '/portal'],
  ...['/api-keys', '/users', '/plan'],
];

const failure = { error: { code: 'internal_error', message: 'The broken request.' } };

describe('each page of the dashboard if one of its requests fails', function () {
  // A test loads its page twice for each request.
  this.timeout(240_000);
  let visit: Visit;
  let seeded: Seeded;

  before(async () => {
    visit = await startVisit();
    seeded = await seed(visit);
  });

  /** The different requests of a page, without the values of their parameters. */
  async function requestsOf(page: Page, place: string): Promise<readonly string[]> {
    // Requests of an earlier page must have ended.
    await page.goto('about:blank');
    const found = new Set<string>();
    const keep = (request: { url: () => string }) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.startsWith('/v1/')) {
        found.add(formOf(pathname, searchParams));
      }
    };
    page.on('request', keep);
    await visitPlace(page, visit.addressOf(place));
    page.off('request', keep);
    return [...found];
  }

  /** The lines that the page does not show either when all its requests succeed. Deliveries change during the test. */
  async function untrueLines(
    page: Page,
    place: string,
    lines: readonly string[],
  ): Promise<readonly string[]> {
    if (lines.length === 0) {
      return [];
    }
    await visitPlace(page, visit.addressOf(place));
    const known = await page.evaluate<readonly string[]>(emptyLines);
    return lines.filter((line) => !known.includes(line));
  }

  /** The failures of a page that shows no failure, or that shows an empty state which is not true. */
  async function faultsOf(page: Page, template: string): Promise<readonly string[]> {
    const place = template
      .replace(':event', seeded.eventId)
      .replace(':attempt', seeded.attemptId)
      .replace(':webhook', seeded.badId)
      .replace(':tenant', seeded.tenantId);
    const requests = await requestsOf(page, place);
    const known = await page.evaluate<readonly string[]>(emptyLines);
    const faults: string[] = [];
    for (const form of requests.filter((each) => each !== names || !withoutNames.includes(template))) {
      await page.route('**/v1/**', (route) => {
        const { pathname, searchParams } = new URL(route.request().url());
        return formOf(pathname, searchParams) === form
          ? route.fulfill({ status: 500, json: failure })
          : route.fallback();
      });
      await page.goto(visit.addressOf(place));
      const shown = page.getByRole('alert').getByText(failure.error.message).first();
      await eventually(
        `the failure of ${form} at ${place}`,
        async () => ((await shown.count()) > 0 ? true : null),
        shownMs,
      ).catch(() => faults.push(`${form} fails silently`));
      const added = (await page.evaluate<readonly string[]>(emptyLines)).filter(
        (line) => !known.includes(line),
      );
      await page.unroute('**/v1/**');
      const untrue = await untrueLines(page, place, added);
      faults.push(...untrue.map((line) => `${form} fails, and the page shows: ${line}`));
    }
    return faults;
  }

  for (const place of [
    '',
    '/events',
    '/events/:event',
    '/events/:event/attempts/:attempt',
    '/events/new',
    '/attempts',
    '/webhooks',
    '/webhooks/:webhook',
    '/webhooks/:webhook/recover',
    '/webhooks/:webhook/verify',
    '/webhooks/:webhook/preview',
    '/webhooks/:webhook/test',
    '/tenants',
    '/tenants/:tenant',
    '/portal',
    '/api-keys',
    '/users',
    '/audit-log',
    '/plan',
  ]) {
    it(`show the failure and no empty state: ${place === '' ? 'overview' : place}`, async () => {
      const page = await visit.open('');
      expect((await faultsOf(page, place)).join('\n')).to.equal('');
      await page.context().close();
    });
  }
});

function formOf(path: string, parameters: URLSearchParams): string {
  const status = parameters.getAll('deliveryStatus').join();
  return `${path}?${[...new Set(parameters.keys())].toSorted().join('&')}${status === '' ? '' : ` ${status}`}`;
}
