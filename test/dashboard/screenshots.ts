import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import type { Page } from 'playwright-core';

import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/hooks.js';
import { pastFigures } from './support/pastFigures.js';
import { seedShop } from './support/shop.js';
import { visitPlace } from './support/visitPlace.js';
import { startVisit, type View } from './support/visitor.js';

/**
 * Takes the pictures of docs/dashboard/: each page of an account with something in it, from the real service. Only the figures of
 * the last days are made up: a service that has just begun has none.
 *
 *   npm run screenshots                 those of the documentation
 *   npm run screenshots -- --all DIR    each page at three widths in both themes, to look at
 */
interface Shot extends View {
  readonly name: string;
  readonly place: string;
  readonly prepare?: (page: Page) => Promise<void>;
}

const { values } = parseArgs({ options: { all: { type: 'string' } } });
const documentation = fileURLToPath(new URL('../../docs/dashboard/', import.meta.url));

await mochaGlobalSetup();
const visit = await startVisit({ plan: 'enterprise', requestsPerSecond: 1000 });
const shop = await seedShop(visit);
try {
  const shots = values.all === undefined ? documented() : everything();
  await takeAll(shots, values.all ?? documentation);
} finally {
  await shop.close();
  await visit.close();
  await mochaGlobalTeardown();
}

async function takeAll(shots: readonly Shot[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, place, prepare, ...view } of shots) {
    const page = await visit.open('', view);
    await page.route('**/v1/stats/deliveries*', pastFigures);
    await visitPlace(page, visit.addressOf(place));
    await prepare?.(page);
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' });
    await page.context().close();
  }
}

function documented(): readonly Shot[] {
  return [
    { name: 'overview', place: '' },
    { name: 'overview-dark', place: '', theme: 'dark' },
    { name: 'overview-phone', place: '', width: 390 },
    { name: 'events', place: '/events' },
    { name: 'event', place: `/events/${shop.failedId}` },
    { name: 'event-phone-dark', place: `/events/${shop.failedId}`, width: 390, theme: 'dark' },
    { name: 'webhook', place: `/webhooks/${shop.failingId}` },
    { name: 'recover', place: `/webhooks/${shop.failingId}/recover` },
    { name: 'api-keys', place: '/api-keys' },
    { name: 'test-mode', place: '/test/events' },
    { name: 'webhooks-dark', place: '/webhooks', theme: 'dark', width: 820 },
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
    ['people', '/people'],
    ['audit-log', '/audit-log'],
    ['plan', '/plan'],
    ['test', '/test'],
    ['test-events', '/test/events'],
  ] as const;
  const views = ([1440, 820, 390] as const).flatMap((width) =>
    (['light', 'dark'] as const).map((theme) => ({ width, theme })),
  );
  return views.flatMap((view) =>
    places.map(([name, place]) => ({ ...view, name: `${name}-${view.width}-${view.theme}`, place })),
  );
}
