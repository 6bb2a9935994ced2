import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';

import { openBrowser } from '../../dashboard/support/browser.js';
import { createClient, type Client } from '../../support/client.js';
import { sharedService, type SharedService } from '../../support/service.js';
import { eventually } from '../../support/eventually.js';
import { closeAtEndOfFile } from '../../support/fileResources.js';

/** An account with a tenant, and a browser of the tenant's customer. */
export interface Customer {
  readonly service: SharedService;
  /** The API with the account's full key. */
  readonly client: Client;
  readonly liveKey: string;
  readonly testKey: string;
  /** The address of a session's page. The shared service listens on a port that its settings do not name. */
  readonly addressOf: (url: string) => string;
  readonly tenantId: string;
  /** A new session of the tenant, with the URL of its page. */
  readonly newSession: (body?: Readonly<Record<string, unknown>>) => Promise<PortalLink>;
  readonly newContext: (view?: View) => Promise<BrowserContext>;
  /** Changes the color of the account's portal, and waits until the page has it. */
  readonly setAccentColor: (accentColor: string) => Promise<void>;
  /** The page of a new session, after its first view has loaded. */
  readonly open: (view?: View, body?: Readonly<Record<string, unknown>>) => Promise<Page>;
  readonly close: () => Promise<void>;
}

export interface PortalLink {
  readonly url: string;
  readonly token: string;
}

export interface View {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
}

const height = 900;

const tenantId = 'customer-42';

/** @param portal the settings of the account's portal */
export async function startCustomer(portal: Readonly<Record<string, unknown>> = {}): Promise<Customer> {
  const service = await sharedService();
  const { liveKey, testKey, id: accountId } = await service.createAccount();
  const client = createClient(service.address, liveKey);
  expect((await client.put(`/v1/tenants/${tenantId}`, { name: 'Acme Ltd' })).status).to.equal(201);
  expect((await client.patch('/v1/account', { portal })).status).to.equal(200);
  const browser = await openBrowser();
  const addressOf = (url: string) => {
    const { pathname, hash } = new URL(url);
    return `${service.address}${pathname}${hash}`;
  };
  const newSession = async (body: Readonly<Record<string, unknown>> = {}): Promise<PortalLink> => {
    const answer = await client.post(`/v1/tenants/${tenantId}/portal-sessions`, body);
    expect(answer.status).to.equal(201);
    return { url: addressOf(String(answer.body['url'])), token: String(answer.body['token']) };
  };
  const newContext = (view: View = {}) => contextOf(browser, view);
  return {
    service,
    client,
    liveKey,
    testKey,
    addressOf,
    tenantId,
    newSession,
    newContext,
    setAccentColor: async (accentColor) => {
      expect((await client.patch('/v1/account', { portal: { accentColor } })).status).to.equal(200);
      await eventually('the new color in the page', async () => {
        const page = await fetch(`${service.address}/portal/${accountId}`);
        return (await page.text()).includes(accentColor) ? true : null;
      });
    },
    open: async (view, body) => {
      const page = await (await newContext(view)).newPage();
      await page.goto((await newSession(body)).url);
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    },
    close: closeAtEndOfFile(() => browser.close()),
  };
}

async function contextOf(browser: Browser, { width = 1280, theme = 'light' }: View): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  context.on('page', (page) => {
    page.on('pageerror', (error) => {
      throw error;
    });
  });
  return context;
}
