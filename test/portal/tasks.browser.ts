import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';

import { createClient } from '../support/client.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { eventually } from '../support/eventually.js';
import { startCustomer, type Customer } from './support/customer.js';

describe('a customer in the portal', () => {
  let customer: Customer;
  let receiver: Receiver;
  let page: Page;
  let isBroken = false;

  before(async () => {
    customer = await startCustomer();
    receiver = await startReceiver((_request, response) => {
      response.writeHead(isBroken ? 500 : 204).end();
    });
    await customer.client.put('/v1/event-types/order.completed', {
      description: 'An order was paid.',
      examples: [{ orderId: 'ord_1', amount: 4200 }],
    });
    page = await customer.open();
  });

  it('is shown the next step while there is no endpoint', async () => {
    await page.getByRole('heading', { name: 'No endpoint yet' }).waitFor();
  });

  it('adds an endpoint with types that are described, and sees its secret once', async () => {
    await page.getByRole('link', { name: 'Add endpoint' }).first().click();
    await page.getByLabel('URL').fill(`${receiver.url}/hooks`);
    await page.getByLabel('Name').fill('Order system');
    await page.getByLabel('Only chosen event types').check();
    await page.getByText('An order was paid.').waitFor();
    await page.getByLabel('order.completed').check();
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    expect(await page.locator('.secret-text').textContent()).to.match(/^whsec_/);
    const { body } = await customer.client.get('/v1/webhooks');
    expect(body['data']).to.containSubset([{ tenantId: customer.tenantId, events: ['order.completed'] }]);
  });

  it('sends a test event, and sees the exact request and the response', async () => {
    await page.getByRole('link', { name: 'Send test event' }).click();
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByText('Your server accepted the event').waitFor();
    const request = await page.getByRole('region', { name: 'Request of attempt 1' }).textContent();
    expect(request).to.contain(`POST ${receiver.url}/hooks`).and.to.contain('"orderId":');
  });

  it('sees why deliveries fail, and what to do', async () => {
    isBroken = true;
    const { body } = await customer.client.post('/v1/events', {
      type: 'order.completed',
      data: { orderId: 'ord_2' },
      tenantId: customer.tenantId,
    });
    await page.getByRole('link', { name: 'Endpoints' }).first().click();
    await page.getByRole('link', { name: 'Order system' }).click();
    await page.getByRole('heading', { name: '1 event not delivered' }).waitFor();
    await page.getByText('Status 500').waitFor();
    await page.getByRole('link', { name: 'Show events' }).click();
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await page.getByRole('link', { name: 'order.completed' }).click();
    await page.getByText(String(body['id'])).first().waitFor();
    await page.getByText('Retrying').first().waitFor();
    await page.locator('details.attempt summary').last().click();
    await page.getByRole('region', { name: 'Response to attempt 1' }).waitFor();
  });

  it('recovers what was not delivered, after seeing the number', async () => {
    // The next retry comes minutes later, so only the recovery delivers.
    await eventually('the first retry', async () => {
      const { status, text } = await customer.client.get('/v1/events?deliveryStatus=retrying');
      return status === 200 && text.includes('"attemptCount":2,') ? true : null;
    });
    isBroken = false;
    await page.getByRole('link', { name: 'Endpoints' }).first().click();
    await page.getByRole('link', { name: 'Order system' }).click();
    await page.getByRole('link', { name: 'Recover events' }).first().click();
    await page.getByRole('button', { name: 'Count events' }).click();
    await page.getByRole('button', { name: 'Send 1 event' }).click();
    await page.getByText('Sent: 1 delivered, 0 failed, of 1 event.').waitFor();
  });

  it('rotates the secret', async () => {
    await page.getByRole('link', { name: 'Endpoint', exact: true }).click();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    expect(await page.locator('.secret-text').textContent()).to.match(/^whsec_/);
    await page.getByRole('button', { name: 'I have copied the secret' }).click();
    await page.getByText('The previous secret also signs').waitFor();
  });

  it('reads the catalog, and copies a verification sample in its language', async () => {
    await page.getByRole('link', { name: 'Event types' }).click();
    await page.getByRole('heading', { name: 'Event types' }).waitFor();
    await page.getByRole('link', { name: 'order.completed' }).click();
    await page.getByRole('heading', { name: 'Example' }).waitFor();
    await page.getByRole('link', { name: 'Verify events' }).click();
    for (const language of ['TypeScript', 'Node.js', 'Python', 'Go', 'Java']) {
      await page.getByRole('radio', { name: language }).check({ force: true });
      await page.getByRole('region', { name: `Sample code for ${language}` }).waitFor();
    }
  });

  it('sees no endpoint and no event of another tenant or of the platform', async () => {
    await customer.client.put('/v1/tenants/other', {});
    const { body: hook } = await customer.client.post('/v1/webhooks', {
      url: receiver.url,
      events: ['*'],
      tenantId: 'other',
      name: 'Foreign',
    });
    await customer.client.post('/v1/events', { type: 'order.foreign', data: {}, tenantId: 'other' });
    await page.getByRole('link', { name: 'Endpoints' }).first().click();
    await page.getByRole('link', { name: 'Order system' }).waitFor();
    expect(await page.getByText('Foreign').count()).to.equal(0);
    await page.goto(`${page.url().split('#')[0] ?? ''}#/endpoints/${String(hook['id'])}`);
    await page.getByRole('alert').waitFor();
    await page.getByRole('link', { name: 'Events' }).first().click();
    await page.getByRole('link', { name: 'order.completed' }).first().waitFor();
    expect(await page.getByText('order.foreign').count()).to.equal(0);
  });

  it('deletes the endpoint only after a confirmation', async () => {
    await page.getByRole('link', { name: 'Endpoints' }).first().click();
    await page.getByRole('link', { name: 'Order system' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No endpoint yet' }).waitFor();
    await eventually('the deletion', async () => {
      const { body } = await customer.client.get(`/v1/webhooks?tenantId=${customer.tenantId}`);
      return Array.isArray(body['data']) && body['data'].length === 0 ? true : null;
    });
  });
});

describe('a customer with a keyboard alone', () => {
  it('adds an endpoint, and learns its secret', async () => {
    const customer = await startCustomer();
    const page = await customer.open();
    const press = async (name: string, role: 'link' | 'textbox' | 'button', key: string) => {
      await tabTo(page, page.getByRole(role, { name }).last());
      await page.keyboard.press(key);
    };
    await press('Add endpoint', 'link', 'Enter');
    await page.getByRole('heading', { name: 'Add endpoint' }).and(page.locator(':focus')).waitFor();
    await tabTo(page, page.getByLabel('URL'));
    await page.keyboard.type('http://127.0.0.1:1/keyboard');
    await press('Add endpoint', 'button', 'Space');
    expect(await page.locator('.secret-text').textContent()).to.match(/^whsec_/);
    await press('Open endpoint', 'link', 'Enter');
    await page.getByRole('heading', { name: 'http://127.0.0.1:1/keyboard' }).waitFor();
    await press('Delete', 'button', 'Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete' }).and(page.locator(':focus')).waitFor();
    await page.context().close();
  });
});

/** Presses the tab key until an element has the focus. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  await element.waitFor();
  for (let presses = 0; presses < 50; presses += 1) {
    if ((await element.and(page.locator(':focus')).count()) > 0) {
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error('The tab key does not reach the element.');
}

describe('a session of the portal with few capabilities', () => {
  let customer: Customer;

  before(async () => {
    customer = await startCustomer();
  });

  it('copies also where the browser blocks the clipboard API, as in frames', async () => {
    const page = await customer.open();
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: () => Promise.reject(new Error('blocked')) },
    })`);
    await page.getByRole('link', { name: 'Verify events' }).click();
    await page.getByRole('button', { name: 'Copy code' }).click();
    await page.getByText('Copied the code.').waitFor();
    await page.getByRole('link', { name: 'Endpoints' }).click();
    await page.getByRole('link', { name: 'Add endpoint' }).click();
    await page.getByLabel('Name').focus();
    await page.keyboard.press('Control+V');
    expect(await page.getByLabel('Name').inputValue()).to.match(/^import \{ createHmac/);
    await page.context().close();
  });

  it('offers no delivery in test mode, which has none', async () => {
    const test = createClient(customer.service.address, customer.testKey);
    await test.put('/v1/tenants/tester', {});
    const { body } = await test.post('/v1/tenants/tester/portal-sessions', {});
    const hook = await test.post('/v1/webhooks', {
      url: 'https://example.com',
      events: ['*'],
      tenantId: 'tester',
    });
    const page = await (await customer.newContext()).newPage();
    await page.goto(customer.addressOf(String(body['url'])));
    await page.getByText('Test mode').waitFor();
    await page.getByRole('link', { name: 'https://example.com' }).click();
    await page.getByText('Events in test mode are not delivered.').waitFor();
    expect(hook.status).to.equal(201);
    expect(await page.getByRole('link', { name: /Send test event|Recover events/ }).count()).to.equal(0);
    await page.context().close();
  });

  it('shows only what it may do', async () => {
    const page = await customer.open({}, { capabilities: ['webhooks:read'] });
    await page.getByRole('heading', { name: 'No endpoint yet' }).waitFor();
    expect(await page.getByRole('link', { name: 'Add endpoint' }).count()).to.equal(0);
    expect(await page.getByRole('link', { name: 'Events', exact: true }).count()).to.equal(0);
    await page.context().close();
  });

  for (const [capabilities, heading] of [
    [['events:read'], 'Events'],
    [[], 'Event types'],
  ] as const) {
    it(`begins with "${heading}" if it may read no endpoints`, async () => {
      const page = await customer.open({}, { capabilities });
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
      expect(await page.getByRole('alert').count()).to.equal(0);
      await page.context().close();
    });
  }
});
