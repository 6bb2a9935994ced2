import { expect } from 'chai';
import type { BrowserContext, FrameLocator, Page, Route } from 'playwright-core';

import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import type { Customer } from './support/customer.js';
import {
  abort,
  countExpiries,
  endSessions,
  postToken,
  sessions,
  startPlatform,
  type Platform,
} from './support/platform.js';

const unavailable = (route: Route) =>
  route.fulfill({
    status: 503,
    headers: { 'retry-after': '0' },
    json: { error: { code: 'service_unavailable' } },
  });

/** Answers a request for a session with a token. */
function answerWith(token: string) {
  return (route: Route) => route.fulfill({ status: 201, json: { token } });
}

/** The requests that change something, and that the service has accepted. */
function recordChanges(context: BrowserContext): string[] {
  const changes: string[] = [];
  context.on('response', (response) => {
    const request = response.request();
    if (response.ok() && request.method() !== 'GET' && request.url().includes('/v1/')) {
      changes.push(`${request.method()} ${new URL(request.url()).pathname}`);
    }
  });
  return changes;
}

/** The token of a new session of a tenant, which is created if it does not exist. */
async function tokenOf(client: Client, tenantId: string): Promise<string> {
  await client.put(`/v1/tenants/${tenantId}`, {});
  const { body } = await client.post(`/v1/tenants/${tenantId}/portal-sessions`, {});
  return String(body['token']);
}

describe('a session of the portal that ends in the page of a platform', () => {
  let receiver: Receiver;
  let platform: Platform;
  let customer: Customer;
  let context: BrowserContext;
  let page: Page;
  let frame: FrameLocator;
  let hook: string;
  let changes: string[];

  before(async () => {
    receiver = await startReceiver((_request, response) => {
      response.writeHead(204).end();
    });
    platform = await startPlatform();
    ({ customer } = platform);
    // An event before the webhook, which is missing from it.
    await customer.client.post('/v1/events', { type: 'a', data: {}, tenantId: customer.tenantId });
    const { body } = await customer.client.post('/v1/webhooks', {
      url: receiver.url,
      events: ['*'],
      name: 'Orders',
      tenantId: customer.tenantId,
    });
    hook = String(body['id']);
  });

  beforeEach(async () => {
    context = await platform.newContext();
    changes = recordChanges(context);
    ({ page, frame } = await platform.open(context));
  });

  afterEach(async () => {
    await context.close();
  });

  after(async () => {
    await platform.close();
  });

  const notice = () => frame.getByText('Your session has ended.');
  const press = (name: string) => frame.getByRole('button', { name }).last().click();
  const focused = (label: string) => frame.getByLabel(label).and(frame.locator(':focus')).waitFor();
  const openEndpoint = async (link: string | null) => {
    await frame.getByRole('link', { name: 'Orders' }).click();
    if (link !== null) {
      await frame.getByRole('link', { name: link }).first().click();
    }
  };

  /**
   * Ends the session, and lets the portal notice it. A new token comes only after the work of the user.
   * @param work what the user does after the end of the session
   */
  const overAnExpiry = async (work: () => Promise<void>) => {
    await context.route(sessions, abort);
    await endSessions(customer);
    await work();
    await notice().waitFor();
    await context.unroute(sessions, abort);
    await notice().waitFor({ state: 'detached' });
  };

  it('loses nothing of a new endpoint, which is added once', async () => {
    await frame.getByRole('link', { name: 'Add endpoint' }).first().click();
    await frame.getByLabel('URL').fill('http://127.0.0.1:1/typed');
    await overAnExpiry(() => press('Add endpoint'));
    expect(await frame.getByLabel('URL').inputValue()).to.equal('http://127.0.0.1:1/typed');
    await press('Add endpoint');
    await frame.locator('.secret-text').waitFor();
    expect(changes).to.deep.equal(['POST /v1/webhooks']);
  });

  it('loses neither a change of an endpoint nor the place of the cursor', async () => {
    await openEndpoint('Edit');
    await frame.getByLabel('Name').fill('Orders of Europe');
    // The page notices the end by itself, because it reads the endpoint again.
    await overAnExpiry(() => focused('Name'));
    await focused('Name');
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    await frame.getByRole('heading', { level: 1, name: 'Orders of Europe!' }).waitFor();
    expect(changes).to.deep.equal([`PATCH /v1/webhooks/${hook}`]);
    await customer.client.patch(`/v1/webhooks/${hook}`, { name: 'Orders' });
  });

  it('keeps the form also if the service is unavailable when the new token arrives', async () => {
    await openEndpoint('Edit');
    await frame.getByLabel('Name').fill('Kept');
    await overAnExpiry(async () => {
      await context.route(`**/v1/webhooks/${hook}`, unavailable);
    });
    await frame.getByText('The service is temporarily unavailable.').first().waitFor();
    expect(await frame.getByLabel('Name').inputValue()).to.equal('Kept');
  });

  it('loses nothing of a test event, which is sent once', async () => {
    await openEndpoint('Send test event');
    await frame.getByLabel('Data').fill('{"typed": 1}');
    await overAnExpiry(() => press('Send test event'));
    expect(await frame.getByLabel('Data').inputValue()).to.equal('{"typed": 1}');
    await press('Send test event');
    await frame.getByText('Your server accepted the event').waitFor();
    expect(receiver.requests.filter(({ body }) => body.includes('"typed"'))).to.have.lengthOf(1);
  });

  it('loses nothing of a recovery, which is started once', async () => {
    await openEndpoint('Recover events');
    await frame.getByLabel('What to send').selectOption('missing');
    await overAnExpiry(() => press('Count events'));
    expect(await frame.getByLabel('What to send').inputValue()).to.equal('missing');
    await press('Count events');
    await press('Send 1 event');
    await frame.getByText('Sent: 1 delivered').waitFor();
    const { body } = await customer.client.get(`/v1/replays?webhookId=${hook}`);
    expect(body['data']).to.have.lengthOf(1);
  });

  it('leaves a dialog open, and the secret is rotated once', async () => {
    await openEndpoint(null);
    await press('Rotate secret');
    await frame.getByLabel('Overlap with old secret').selectOption('0');
    await overAnExpiry(() => press('Rotate secret'));
    expect(await frame.getByLabel('Overlap with old secret').inputValue()).to.equal('0');
    await press('Rotate secret');
    await frame.locator('.secret-text').waitFor();
    expect(changes).to.deep.equal([`POST /v1/webhooks/${hook}/rotate-secret`]);
  });

  it('is noticed when it expires, before the user submits a form', async () => {
    const other = await context.newPage();
    await other.clock.install();
    ({ page, frame } = await platform.open(context, other));
    await frame.getByRole('link', { name: 'Add endpoint' }).first().click();
    await frame.getByLabel('URL').fill('http://127.0.0.1:1/in-time');
    await endSessions(customer);
    await page.clock.fastForward('01:00:05');
    await eventually('a question for a token', async () => ((await countExpiries(page)) > 0 ? true : null));
    await notice().waitFor({ state: 'detached' });
    await press('Add endpoint');
    await frame.locator('.secret-text').waitFor();
  });

  it('asks for a token once, and again for one that it could not check', async () => {
    await context.route(sessions, abort);
    await endSessions(customer);
    await notice().waitFor();
    const rejected = page.waitForResponse((response) => response.status() === 401);
    await frame.getByRole('link', { name: 'Event types' }).click();
    await rejected;
    expect(await countExpiries(page)).to.equal(1);
    await context.route('**/v1/portal-session', unavailable);
    await context.unroute(sessions, abort);
    await frame.getByText('The service is temporarily unavailable.').first().waitFor();
    await context.unroute('**/v1/portal-session', unavailable);
    await press('Try again');
    await notice().waitFor({ state: 'detached' });
  });

  it('asks again after a token that the service rejects', async () => {
    const answerRejected = answerWith((await customer.newSession()).token);
    await context.route(sessions, answerRejected);
    await endSessions(customer);
    await eventually('a second question', async () => ((await countExpiries(page)) > 1 ? true : null));
    await context.unroute(sessions, answerRejected);
    await notice().waitFor({ state: 'detached' });
  });

  it('asks again after an ended token that a process of the service still accepts', async () => {
    const stored = "sessionStorage.getItem('postrider.portal-token:' + location.pathname)";
    const token = String(await page.frames().at(-1)?.evaluate<string | null>(stored));
    const { body } = await createClient(customer.service.address, token).get('/v1/portal-session');
    expect(body['tenant']).to.containSubset({ id: customer.tenantId });
    const answerEnded = answerWith(token);
    const accept = (route: Route) => route.fulfill({ json: body });
    await context.route(sessions, answerEnded);
    await context.route('**/v1/portal-session', accept);
    await endSessions(customer);
    await eventually('a second question', async () => ((await countExpiries(page)) > 1 ? true : null));
    await context.unroute('**/v1/portal-session', accept);
    await context.unroute(sessions, answerEnded);
    await notice().waitFor({ state: 'detached' });
  });

  it('accepts no token of another tenant, mode or account, and keeps the form', async () => {
    const { client, service, testKey, tenantId } = customer;
    const other = createClient(service.address, (await service.createAccount()).liveKey);
    const test = createClient(service.address, testKey);
    const foreign = [
      await tokenOf(client, 'other'),
      await tokenOf(test, tenantId),
      await tokenOf(other, tenantId),
    ];
    await frame.getByRole('link', { name: 'Add endpoint' }).first().click();
    await frame.getByLabel('URL').fill('http://127.0.0.1:1/kept');
    await overAnExpiry(async () => {
      await press('Add endpoint');
      await notice().waitFor();
      for (const token of foreign) {
        const checked = page.waitForResponse(
          async (response) => (await response.request().headerValue('authorization')) === `Bearer ${token}`,
        );
        await page.evaluate(postToken(token));
        expect((await checked).status()).to.equal(200);
      }
      expect(await frame.getByLabel('URL').inputValue()).to.equal('http://127.0.0.1:1/kept');
    });
    await press('Add endpoint');
    await frame.locator('.secret-text').waitFor();
    const { body } = await client.get(`/v1/webhooks?tenantId=${tenantId}`);
    expect(body['data']).to.containSubset([{ url: 'http://127.0.0.1:1/kept' }]);
  });
});
