import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { expect } from 'chai';
import getPort from 'get-port';
import type { BrowserContext, FrameLocator, Page, Route } from 'playwright-core';

import { createClient } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { startCustomer, type Customer, type View } from './customer.js';

const example = fileURLToPath(new URL('../../../examples/portal/server.mjs', import.meta.url));

/** The example of a platform, with the portal in its page. */
export interface Platform {
  readonly customer: Customer;
  readonly address: string;
  /** A browser for which the platform's page has the right address of the portal. */
  readonly newContext: (view?: View) => Promise<BrowserContext>;
  /** Opens the platform's page, and waits for the portal in it. */
  readonly open: (context: BrowserContext, page?: Page) => Promise<OpenPlatform>;
  readonly close: () => Promise<void>;
}

export interface OpenPlatform {
  readonly page: Page;
  /** The portal in the page. */
  readonly frame: FrameLocator;
}

/** The requests of the platform's page for sessions, and not those of the portal. */
export const sessions = /^http:\/\/localhost:\d+\/portal-session$/;

/** Starts a platform with a customer. Its host name differs from the service's, so it is another site for browsers. */
export async function startPlatform(portal: Readonly<Record<string, unknown>> = {}): Promise<Platform> {
  const port = await getPort({ host: '127.0.0.1' });
  const address = `http://localhost:${port}`;
  const customer = await startCustomer({ origins: [address], ...portal });
  const child = spawn(process.execPath, [example], {
    env: {
      ...process.env,
      POSTRIDER_URL: customer.service.address,
      POSTRIDER_API_KEY: customer.liveKey,
      HOST: '127.0.0.1',
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data', { signal: AbortSignal.timeout(20_000) });
  return {
    customer,
    address,
    newContext: async (view) => {
      const context = await customer.newContext(view);
      await context.route(sessions, withAddressOf(customer));
      await context.addInitScript(recordMessages);
      return context;
    },
    open: async (context, given) => {
      const page = given ?? (await context.newPage());
      await page.goto(`${address}/`);
      if (page.url().endsWith('/sign-in.html')) {
        await page.getByRole('button', { name: 'Acme Ltd' }).click();
      }
      const frame = page.frameLocator('iframe[title=Webhooks]');
      await frame.getByRole('heading', { level: 1, name: 'Endpoints' }).waitFor();
      return { page, frame };
    },
    close: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  child.kill();
  await once(child, 'exit');
}

/** Corrects the address in a session, because the shared service listens on a port that its settings do not name. */
function withAddressOf({ addressOf }: Customer) {
  return async (route: Route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { url: string; token: string };
    await route.fulfill({ response, json: { ...body, url: addressOf(body.url) } });
  };
}

/** Records the types of the messages that the platform's page receives, in `received`. */
const recordMessages = `
  globalThis.received = [];
  addEventListener('message', ({ data }) => received.push(data.type));
`;

/** How often the portal has asked the platform's page for a token. */
export function countExpiries(page: Page): Promise<number> {
  return page.evaluate<number>(`received.filter((type) => type === 'postrider:session-expired').length`);
}

/** A script that passes a token to a frame. */
export function postToken(token: string, frame = 'frames[0]'): string {
  return `${frame}.postMessage(${JSON.stringify({ type: 'postrider:token', token })}, '*')`;
}

/** Ends all sessions of the tenant, and waits until the service rejects them: a process may know a session for a second. */
export async function endSessions({ client, newSession, service, tenantId }: Customer): Promise<void> {
  const other = createClient(service.address, (await newSession()).token);
  const revoked = await client.delete(`/v1/tenants/${tenantId}/portal-sessions`);
  expect(revoked.body['revoked']).to.be.at.least(1);
  await eventually('the end of the sessions', async () =>
    (await other.get('/v1/portal-session')).status === 401 ? true : null,
  );
}

export const abort = (route: Route) => route.abort();
