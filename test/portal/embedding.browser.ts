import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { expect } from 'chai';
import getPort from 'get-port';
import type { BrowserContext, FrameLocator, Page, Route } from 'playwright-core';

import { createClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startCustomer, type Customer } from './support/customer.js';

const example = fileURLToPath(new URL('../../examples/portal/server.mjs', import.meta.url));

/** Starts the example of a platform. Its host name differs from the service's, so it is another site for browsers. */
async function startPlatform(customer: Customer, port: number, seconds: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [example], {
    env: {
      ...process.env,
      POSTRIDER_URL: customer.service.address,
      POSTRIDER_API_KEY: customer.liveKey,
      HOST: '127.0.0.1',
      PORT: String(port),
      SESSION_SECONDS: String(seconds),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data', { signal: AbortSignal.timeout(20_000) });
  return child;
}

/** Everything that a page sends to servers, except the bodies of requests. */
function recordRequests(context: BrowserContext): string[] {
  const sent: string[] = [];
  context.on('request', (request) => {
    sent.push(request.url(), request.headers()['referer'] ?? '', request.headers()['cookie'] ?? '');
  });
  return sent;
}

/** The requests of the platform's page, and not those of the portal. */
const sessions = /^http:\/\/localhost:\d+\/portal-session$/;

/** Corrects the address in a session, because the shared service listens on a port that its settings do not name. */
function withAddress(address: string) {
  return async (route: Route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { url: string; token: string };
    const { pathname, hash } = new URL(body.url);
    await route.fulfill({ response, json: { ...body, url: `${address}${pathname}${hash}` } });
  };
}

const abort = (route: Route) => route.abort();

/** A script that passes a token to a frame. */
function postToken(token: string, frame: string): string {
  return `${frame}.postMessage(${JSON.stringify({ type: 'postrider:token', token })}, '*')`;
}

/** Ends all sessions of the tenant, and waits until the service rejects them: a process may know a session for a second. */
async function endSessions({ client, newSession, service, tenantId }: Customer): Promise<void> {
  const other = createClient(service.address, (await newSession()).token);
  const revoked = await client.delete(`/v1/tenants/${tenantId}/portal-sessions`);
  expect(revoked.body['revoked']).to.be.at.least(1);
  await eventually('the end of the sessions', async () =>
    (await other.get('/v1/portal-session')).status === 401 ? true : null,
  );
}

/** Records the types of the messages that the platform's page receives, in `received`. */
const recordMessages = `
  globalThis.received = [];
  addEventListener('message', ({ data }) => received.push(data.type));
`;

/** Blocks cookies and storage in frames, as browsers do for other sites. Settings of Chromium need its full program. */
const blockStorageInFrames = `
  const blocked = () => { throw new DOMException('Access is denied for this document.', 'SecurityError'); };
  if (self !== top) {
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'cookieStore']) {
      Object.defineProperty(self, name, { get: blocked });
    }
    Object.defineProperty(document, 'cookie', { get: blocked, set: blocked });
  }
`;

const countExpiries = `received.filter((type) => type === 'postrider:session-expired').length`;

const unavailable = (route: Route) =>
  route.fulfill({
    status: 503,
    headers: { 'retry-after': '0' },
    json: { error: { code: 'service_unavailable' } },
  });

describe('the portal in the page of a platform', () => {
  let customer: Customer;
  let platform: ChildProcess;
  let context: BrowserContext;
  let page: Page;
  let frame: FrameLocator;
  let sent: string[];
  let port: number;

  before(async () => {
    port = await getPort({ host: '127.0.0.1' });
    customer = await startCustomer({ origins: [`http://localhost:${port}`], accentColor: '#b3261e' });
    platform = await startPlatform(customer, port, 60);
    context = await customer.newContext();
    sent = recordRequests(context);
    await context.route(sessions, withAddress(customer.service.address));
    await context.addInitScript(recordMessages);
    await context.addInitScript(blockStorageInFrames);
    page = await context.newPage();
    await page.goto(`http://localhost:${port}/`);
    frame = page.frameLocator('iframe[title=Webhooks]');
    await frame.getByRole('heading', { level: 1, name: 'Endpoints' }).waitFor();
  });

  after(async () => {
    await context.close();
    platform.kill();
    await once(platform, 'exit');
  });

  it('opens on a listed origin, without cookies and storage', async () => {
    expect(await context.cookies()).to.deep.equal([]);
    await frame.getByRole('heading', { name: 'No endpoint yet' }).waitFor();
  });

  it('reports its height to the platform', async () => {
    await eventually('the height of the frame', async () => {
      const style = await page.locator('iframe').getAttribute('style');
      return /height: [1-9]\d*px/.test(style ?? '') ? true : null;
    });
  });

  it('keeps what the customer has typed when the session ends, and continues with a new token', async () => {
    await frame.getByRole('link', { name: 'Add endpoint' }).first().click();
    await frame.getByLabel('URL').fill('http://127.0.0.1:1/typed');
    // No new session until the notice was seen.
    await context.route(sessions, abort);
    await endSessions(customer);
    await frame.getByRole('button', { name: 'Add endpoint' }).click();
    await frame.getByText('Your session has ended.').waitFor();
    await context.unroute(sessions, abort);
    await frame.getByText('Your session has ended.').waitFor({ state: 'detached' });
    expect(await frame.getByLabel('URL').inputValue()).to.equal('http://127.0.0.1:1/typed');
    await frame.getByRole('button', { name: 'Add endpoint' }).click();
    await frame.locator('.secret-text').waitFor();
    const { body } = await customer.client.get(`/v1/webhooks?tenantId=${customer.tenantId}`);
    expect(body['data']).to.containSubset([{ url: 'http://127.0.0.1:1/typed' }]);
  });

  it('asks for a token once in each session that ends, and again for one that it could not check', async () => {
    await frame.getByRole('link', { name: 'Endpoints' }).first().click();
    await frame.getByText('http://127.0.0.1:1/typed').waitFor();
    const before = await page.evaluate<number>(countExpiries);
    await context.route(sessions, abort);
    await endSessions(customer);
    await frame.getByText('Your session has ended.').waitFor();
    // The list is read again every few seconds.
    await page.waitForResponse((response) => response.status() === 401);
    expect((await page.evaluate<number>(countExpiries)) - before).to.equal(1);
    await context.route('**/v1/portal-session', unavailable);
    await context.unroute(sessions, abort);
    await frame.getByText('The service is temporarily unavailable.').first().waitFor();
    await context.unroute('**/v1/portal-session', unavailable);
    await frame.getByRole('button', { name: 'Try again' }).first().click();
    await frame.getByText('Your session has ended.').waitFor({ state: 'detached' });
  });

  it('accepts a token only from the page that embeds it', async () => {
    const checked: (string | undefined)[] = [];
    context.on('request', (request) => {
      checked.push(request.headers()['authorization']);
    });
    const [fromAnother, fromParent] = [
      (await customer.newSession()).token,
      (await customer.newSession()).token,
    ];
    await page.evaluate(`new Promise((resolve) => {
      const other = document.createElement('iframe');
      document.body.append(other);
      other.contentWindow.eval(${JSON.stringify(postToken(fromAnother, 'parent.frames[0]'))});
      ${postToken(fromParent, 'frames[0]')};
      resolve();
    })`);
    await eventually('a check of the token from the parent', () =>
      Promise.resolve(checked.includes(`Bearer ${fromParent}`) ? true : null),
    );
    expect(checked).to.not.include(`Bearer ${fromAnother}`);
  });

  it('sends no token in an address, a referrer or a cookie', async () => {
    expect(sent).to.not.have.lengthOf(0);
    expect(sent.filter((text) => text.includes('pst_'))).to.deep.equal([]);
    expect(await context.cookies()).to.deep.equal([]);
  });

  it('is blocked by the browser on any other origin', async () => {
    const { url } = await customer.newSession();
    const other = await context.newPage();
    await other.goto(`http://127.0.0.1:${port}/`);
    await other.setContent(`<iframe src="${url}"></iframe>`);
    await eventually('an error page in the frame', () => {
      const inner = other.frames().find((each) => each.url().startsWith('chrome-error:'));
      return Promise.resolve(inner === undefined ? null : true);
    });
    await other.close();
  });

  it('accepts no token of another tenant', async () => {
    await customer.client.put('/v1/tenants/other', { name: 'Other Inc' });
    const { body } = await customer.client.post('/v1/tenants/other/portal-sessions', {});
    await page.evaluate(postToken(String(body['token']), 'frames[0]'));
    await frame.getByRole('link', { name: 'Endpoints' }).first().click();
    await frame.getByText('http://127.0.0.1:1/typed').waitFor();
    expect(await frame.getByText('Other Inc').count()).to.equal(0);
  });
});
