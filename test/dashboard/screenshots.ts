import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import type { Page } from 'playwright-core';

import { endFile } from '../support/fileResources.js';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/hooks.js';
import { pastFigures } from './support/pastFigures.js';
import { seedShop } from './support/shop.js';
import { visitPlace } from './support/visitPlace.js';
import { startVisit, type View, type Visit } from './support/visitor.js';

/**
 * Takes the screenshots in docs/dashboard/, or those of all pages. They show an account with data, from the real service. Only the figures
 * of the last days are made up, because a new service has none.
 * ```sh
 * npm run screenshots                 # the screenshots in the documentation
 * npm run screenshots -- --all DIR    # each whole page, at three widths in both themes
 * npm run screenshots -- --only TEXT  # the screenshots whose names contain TEXT; of all pages with --all
 * ```
 */
interface Shot extends View {
  readonly name: string;
  readonly place: string;
  /** The visitor. The shop by default. */
  readonly of?: Visit;
  readonly prepare?: (page: Page) => Promise<void>;
}

const { values } = parseArgs({ options: { all: { type: 'string' }, only: { type: 'string', default: '' } } });
const documentation = fileURLToPath(new URL('../../docs/dashboard/', import.meta.url));

await mochaGlobalSetup();
const visit = await startVisit({ plan: 'enterprise', requestsPerSecond: 1000 });
const shop = await seedShop(visit);
/** The visitor of an account without data. */
const newcomer = await startVisit();
try {
  const shots = values.all === undefined ? documented() : everything();
  await takeAll(
    shots.filter(({ name }) => name.includes(values.only)),
    values.all ?? documentation,
  );
} finally {
  await endFile();
  await mochaGlobalTeardown();
}

async function takeAll(shots: readonly Shot[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, place, of = visit, prepare, ...view } of shots) {
    const page = await of.open('', view);
    if (of === visit) {
      await page.route('**/v1/stats/deliveries*', pastFigures);
    }
    await visitPlace(page, visit.addressOf(place));
    await prepare?.(page);
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    await page.screenshot({
      path: `${folder}/${name}.png`,
      animations: 'disabled',
      fullPage: values.all !== undefined,
    });
    await page.context().close();
  }
}

function documented(): readonly Shot[] {
  return [
    { name: 'overview', place: '' },
    { name: 'event', place: `/events/${shop.failedId}`, prepare: openAttempt },
    { name: 'test-mode', place: '/test/events' },
  ];
}

function everything(): readonly Shot[] {
  const places = [
    ['overview', ''],
    ['events', '/events'],
    ['event', `/events/${shop.failedId}`],
    ['event-new', '/events/new'],
    ['attempts', '/attempts'],
    ['webhooks', '/webhooks'],
    ['webhook-new', '/webhooks/new'],
    ['tenants', '/tenants'],
    ['tenant', `/tenants/${shop.tenantId}`],
    ['webhook-of-tenant', `/webhooks/new?tenant=${shop.tenantId}`],
    ['events-of-tenant', `/events?tenant=${shop.tenantId}`],
    ['portal', '/portal'],
    ['event-types', '/event-types'],
    ['event-type-new', '/event-types/new/form'],
    ['webhook', `/webhooks/${shop.failingId}`],
    ['recover', `/webhooks/${shop.failingId}/recover`],
    ['webhook-test', `/webhooks/${shop.failingId}/test`],
    ['verify', `/webhooks/${shop.failingId}/verify`],
    ['api-keys', '/api-keys'],
    ['users', '/users'],
    ['audit-log', '/audit-log'],
    ['plan', '/plan'],
    ['test', '/test'],
    ['test-events', '/test/events'],
  ] as const;
  const others: readonly Shot[] = [
    { name: 'attempt', place: `/events/${shop.failedId}`, prepare: openAttempt },
    { name: 'attempt-page', place: `/events/${shop.failedId}`, prepare: openAttemptPage },
    { name: 'retry', place: '', prepare: askToRetry },
    { name: 'unknown', place: '', prepare: loseTheService },
    { name: 'own-time', place: '/events?within=own' },
    { name: 'minute', place: '/?range=minute' },
    { name: 'live', place: '/events?live=1' },
    { name: 'nothing-found', place: '/events?type=nothing.like_it' },
    { name: 'found', place: '/events?search=ord_81' },
    { name: 'selected', place: '/events', prepare: selectTwo },
    { name: 'resend-selected', place: '/events', prepare: resendTwo },
    { name: 'tested', place: `/webhooks/${shop.failingId}/test`, prepare: sendTest },
    { name: 'checked', place: `/webhooks/${shop.failingId}/verify`, prepare: checkSignature },
    { name: 'audit-filtered', place: '/audit-log?action=webhook.*' },
    { name: 'create-key', place: '/api-keys', prepare: pressButton('Create key') },
    { name: 'delete-key', place: '/api-keys', prepare: pressButton(/^Delete/) },
    { name: 'new-tenant', place: '/tenants', prepare: enterTenant },
    { name: 'open-portal', place: `/tenants/${shop.tenantId}`, prepare: pressButton('Open portal') },
    { name: 'delete-tenant', place: `/tenants/${shop.tenantId}`, prepare: pressButton('Delete tenant') },
    { name: 'accent', place: '/portal', prepare: enterAccent },
    { name: 'mute', place: `/webhooks/${shop.failingId}`, prepare: pressButton('Mute') },
    { name: 'export', place: '/events', prepare: pressButton('Export') },
    { name: 'shortcuts', place: '/events', prepare: (page) => page.keyboard.press('?') },
    { name: 'wrong-filter', place: '/events?status=lost' },
    { name: 'rotate', place: `/webhooks/${shop.failingId}`, prepare: pressButton('Rotate secret') },
    { name: 'counted', place: `/webhooks/${shop.failingId}/recover`, prepare: countAll },
    { name: 'new-overview', place: '', of: newcomer },
    { name: 'new-events', place: '/events', of: newcomer },
    { name: 'new-webhooks', place: '/webhooks', of: newcomer },
  ];
  const views = ([1440, 820, 390] as const).flatMap((width) =>
    (['light', 'dark'] as const).map((theme) => ({ width, theme })),
  );
  const shots = [...places.map(([name, place]): Shot => ({ name, place })), ...others];
  return views.flatMap((view) =>
    shots.map((shot) => ({ ...shot, ...view, name: `${shot.name}-${view.width}-${view.theme}` })),
  );
}

async function openAttempt(page: Page): Promise<void> {
  await page.locator('details.attempt > summary').first().click();
  await page.getByRole('heading', { name: 'Request' }).waitFor();
}

async function openAttemptPage(page: Page): Promise<void> {
  await openAttempt(page);
  await page.getByRole('link', { name: 'Open this attempt as a page' }).click();
  await page.getByRole('heading', { name: 'Exchange' }).waitFor();
}

async function askToRetry(page: Page): Promise<void> {
  await pressButton('Retry what failed')(page);
  await page.getByRole('dialog').waitFor();
}

/** Makes the next refresh of the overview fail, which is due within seconds. */
async function loseTheService(page: Page): Promise<void> {
  await page.route('**/v1/webhooks?*', (route) => route.fulfill({ status: 503, json: {} }));
  await page.getByText('The last good response arrived on').waitFor();
}

async function enterTenant(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add tenant' }).click();
  await page.getByRole('dialog').getByLabel('Tenant id').fill('hooli');
  await page.getByRole('button', { name: 'Add entry' }).click();
  await page.getByLabel('Key 1').fill('plan');
  await page.getByLabel('Value 1').fill('gold');
}

async function enterAccent(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('Shop & Co');
  await page.getByLabel(/^Accent color/).fill('#ffcc00');
  await page.getByLabel('Origins').fill('https://app.example.com');
}

function pressButton(name: string | RegExp) {
  return (page: Page): Promise<void> => page.getByRole('button', { name }).first().click();
}

async function countAll(page: Page): Promise<void> {
  await page.getByLabel('All events').check();
  await page.getByRole('button', { name: 'Count events' }).click();
  await page.getByText('found, posted').waitFor();
}

async function selectTwo(page: Page): Promise<void> {
  const boxes = page.locator('tbody').getByRole('checkbox');
  await boxes.nth(0).check();
  await boxes.nth(2).check();
}

async function resendTwo(page: Page): Promise<void> {
  await selectTwo(page);
  await page.getByRole('button', { name: 'Resend selected events' }).click();
  await page.getByRole('dialog').getByLabel('Webhook', { exact: true }).selectOption({ index: 1 });
  await page.getByText('2 selected events match').waitFor();
}

async function sendTest(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByRole('heading', { name: /^Response: / }).waitFor();
}

async function checkSignature(page: Page): Promise<void> {
  await page.getByLabel('Signing secret').fill('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  await page
    .getByLabel('Headers')
    .fill(
      [`webhook-id: ${shop.failedId}`, 'webhook-timestamp: 1795243601', 'webhook-signature: v1,AAAA'].join(
        '\n',
      ),
    );
  await page.getByLabel('Body').fill('{"id":"evt_1"}');
  await page.getByRole('button', { name: 'Check signature' }).click();
  await page.locator('.findings .notice').first().waitFor();
}
