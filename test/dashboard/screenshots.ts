import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import type { Page } from 'playwright-core';

import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/hooks.js';
import { pastFigures } from './support/pastFigures.js';
import { seedShop } from './support/shop.js';
import { visitPlace } from './support/visitPlace.js';
import { startVisit, type View, type Visit } from './support/visitor.js';

/**
 * Takes the screenshots in docs/dashboard/. They show each page of an account with data, from the real service. Only the figures of the
 * last days are made up, because a new service has none.
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
  await shop.close();
  await newcomer.close();
  await visit.close();
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
    { name: 'overview-dark', place: '', theme: 'dark' },
    { name: 'overview-phone', place: '', width: 390 },
    { name: 'events', place: '/events' },
    { name: 'event', place: `/events/${shop.failedId}`, prepare: openAttempt },
    { name: 'event-phone-dark', place: `/events/${shop.failedId}`, width: 390, theme: 'dark' },
    { name: 'webhook', place: `/webhooks/${shop.failingId}` },
    { name: 'recover', place: `/webhooks/${shop.failingId}/recover` },
    { name: 'api-keys', place: '/api-keys' },
    { name: 'test-mode', place: '/test/events' },
    { name: 'webhooks-dark', place: '/webhooks', theme: 'dark', width: 820 },
    { name: 'first-steps', place: '', of: newcomer },
  ];
}

function everything(): readonly Shot[] {
  const places = [
    ['overview', ''],
    ['events', '/events'],
    ['event', `/events/${shop.failedId}`],
    ['webhooks', '/webhooks'],
    ['webhook-new', '/webhooks/new'],
    ['webhook', `/webhooks/${shop.failingId}`],
    ['recover', `/webhooks/${shop.failingId}/recover`],
    ['api-keys', '/api-keys'],
    ['users', '/users'],
    ['audit-log', '/audit-log'],
    ['plan', '/plan'],
    ['test', '/test'],
    ['test-events', '/test/events'],
  ] as const;
  const others: readonly Shot[] = [
    { name: 'attempt', place: `/events/${shop.failedId}`, prepare: openAttempt },
    { name: 'own-time', place: '/events?within=own' },
    { name: 'minute', place: '/?range=minute' },
    { name: 'live', place: '/events?live=1' },
    { name: 'nothing-found', place: '/events?type=nothing.like_it' },
    { name: 'create-key', place: '/api-keys', prepare: pressButton('Create key') },
    { name: 'delete-key', place: '/api-keys', prepare: pressButton(/^Delete/) },
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

function pressButton(name: string | RegExp) {
  return (page: Page): Promise<void> => page.getByRole('button', { name }).first().click();
}

async function countAll(page: Page): Promise<void> {
  await page.getByLabel('All events').check();
  await page.getByRole('button', { name: 'Count events' }).click();
  await page.getByText('found.').waitFor();
}
