import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { accessibilityFaults, contrastFaults } from '../dashboard/support/accessibility.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startCustomer, type Customer } from './support/customer.js';

const axeTimeoutMs = 180_000;
const accentsTimeoutMs = 900_000;
const hostile = '<img src=x onerror="document.title=1"> \u202e"\'';
const randomAccents = 20;

describe('every view of the portal', () => {
  let customer: Customer;
  let receiver: Receiver;
  let places: readonly string[];

  before(async () => {
    customer = await startCustomer({ name: hostile, accentColor: '#0b8457' });
    await customer.client.put(`/v1/tenants/${customer.tenantId}`, { name: hostile });
    receiver = await startReceiver((_request, response) => {
      response.writeHead(503).end('busy');
    });
    const { client, tenantId } = customer;
    await client.put('/v1/event-types/order.completed', {
      description: hostile,
      schema: { type: 'object', properties: { amount: { type: 'number' } } },
      examples: [{ amount: 1 }],
    });
    const { body: webhook } = await client.post('/v1/webhooks', {
      url: `${receiver.url}?text=${encodeURIComponent(hostile)}`,
      events: ['order.completed'],
      name: hostile,
      metadata: { note: hostile },
      tenantId,
    });
    const { body: event } = await client.post('/v1/events', {
      type: 'order.completed',
      data: { text: hostile },
      tenantId,
    });
    const [hook, id] = [String(webhook['id']), String(event['id'])];
    await eventually('a failed attempt', async () => {
      const { body } = await client.get(`/v1/events/${id}/attempts`);
      return Array.isArray(body['data']) && body['data'].length > 0 ? true : null;
    });
    places = [
      '#/endpoints',
      '#/endpoints/new',
      `#/endpoints/${hook}`,
      `#/endpoints/${hook}/edit`,
      `#/endpoints/${hook}/test`,
      `#/endpoints/${hook}/recover`,
      '#/events',
      `#/events?endpoint=${hook}&status=failed`,
      `#/events/${id}`,
      '#/event-types',
      '#/event-types/order.completed',
      '#/verify',
    ];
  });

  async function show(page: Page, place: string): Promise<void> {
    // The view changes after the event of the change.
    await page.evaluate(`new Promise((resolve) => {
      const hash = ${JSON.stringify(place)};
      if (location.hash === hash) {
        resolve(null);
      } else {
        addEventListener('hashchange', () => setTimeout(resolve), { once: true });
        location.hash = hash;
      }
    })`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await eventually(`the end of loading at ${place}`, async () =>
      (await page.locator('[aria-busy=true]').count()) === 0 ? true : null,
    );
  }

  /** States of a view that no address names. */
  const states: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    'the form with all options': async (page) => {
      await show(page, '#/endpoints/new');
      await page.getByLabel('Only chosen event types').check();
      await page.getByText('More options').click();
      await page.getByLabel('Time limit').fill('99');
      await page.getByText('More options').click();
      await page.getByLabel('URL').fill('https://example.com');
      await page.getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByText('Enter a whole number of seconds').waitFor();
    },
    'the rotation of a secret': async (page) => {
      await show(page, places[2] ?? '');
      await page.getByRole('button', { name: 'Rotate secret' }).click();
      await page.getByRole('dialog').waitFor();
    },
    'an attempt': async (page) => {
      await page.keyboard.press('Escape');
      await show(page, places[8] ?? '');
      await page.locator('details.attempt summary').first().click();
      await page.getByRole('region', { name: /^Request of attempt/ }).waitFor();
    },
    'a session that has ended': async (page) => {
      await customer.client.delete(`/v1/tenants/${customer.tenantId}/portal-sessions`);
      await page.getByText('Your session has ended.').waitFor();
    },
  };

  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const) {
    it(`is accessible and fits the page, ${theme} and ${width} px wide`, async () => {
      const page = await customer.open({ theme, width });
      const faults: Record<string, readonly string[]> = {};
      for (const place of places) {
        await show(page, place);
        const wide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
        const found = [...(await accessibilityFaults(page)), ...(wide ? ['wider than the page'] : [])];
        if (found.length > 0) {
          faults[place] = found;
        }
      }
      for (const [state, enter] of Object.entries(states)) {
        await show(page, places[0] ?? '');
        await enter(page);
        const found = await accessibilityFaults(page);
        if (found.length > 0) {
          faults[state] = found;
        }
      }
      await page.context().close();
      expect(faults).to.deep.equal({});
    }).timeout(axeTimeoutMs);
  }

  it('is legible with random accent colors, in both themes', async () => {
    for (let number = 0; number < randomAccents; number += 1) {
      const accentColor = randomColor();
      await customer.setAccentColor(accentColor);
      const page = await customer.open();
      for (const place of places) {
        await show(page, place);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await contrastFaults(page), `${accentColor}, ${colorScheme}, ${place}`).to.deep.equal([]);
        }
      }
      await page.context().close();
    }
  }).timeout(accentsTimeoutMs);

  it('shows what customers and platforms type as text', async () => {
    const page = await customer.open();
    for (const place of places) {
      await show(page, place);
      expect(await page.locator('img[src="x"]').count(), place).to.equal(0);
    }
    expect(await page.title()).to.not.equal('1');
    await page.context().close();
  });
});

function randomColor(): string {
  const number = Math.floor(Math.random() * 0x1000000);
  return `#${number.toString(16).padStart(6, '0')}`;
}
