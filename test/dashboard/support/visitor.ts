import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';

import type { PlanTerms } from '../../../shared/domain/accounts/account.js';
import { createClient, type Client } from '../../support/client.js';
import { sharedService, type SharedService } from '../../support/service.js';
import { openBrowser } from './browser.js';
import { closeAtEndOfFile } from '../../support/fileResources.js';

export const password = 'correct horse battery staple';

export interface View {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
}

/** A new account, its owner, and a browser. */
export interface Visit {
  readonly service: SharedService;
  readonly accountId: string;
  /** The API with the account's full live key. */
  readonly client: Client;
  readonly testClient: Client;
  /** A new page without a session. */
  readonly newPage: (view?: View) => Promise<Page>;
  /** A new page of the owner, at a place such as `/events`. */
  readonly open: (place: string, view?: View) => Promise<Page>;
  readonly addressOf: (place: string) => string;
  /** The one-time link of the owner. The first `open` uses the link. */
  readonly signInUrl: string;
  readonly close: () => Promise<void>;
}

const height = 900;

/** The delay of each request to the API in milliseconds. With it, a test that reads a page too early always fails. */
const latency = 100;

/**
 * Opens a browser for a service, by default the one that tests share.
 * @param line the address of a connection to the service that the test can break
 */
export async function startVisit(
  terms?: PlanTerms,
  own?: SharedService,
  line = own?.address,
): Promise<Visit> {
  const service = own ?? (await sharedService());
  const address = line ?? service.address;
  const account = await service.createAccount(terms);
  const browser = await openBrowser();
  const addressOf = (place: string) => `${address}/dashboard${place}`;
  let cookies: Promise<Cookies> | null = null;
  const newPage = (view: View = {}) => newPageOf(browser, view);
  return {
    service,
    accountId: account.id,
    client: createClient(service.address, account.liveKey),
    testClient: createClient(service.address, account.testKey),
    newPage,
    open: async (place, view) => {
      cookies ??= signIn(browser, address, account.signInToken);
      const page = await newPage(view);
      await page.context().addCookies(await cookies);
      await page.goto(addressOf(place));
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    },
    addressOf,
    signInUrl: addressOf(`/link#token=${account.signInToken}`),
    close: closeAtEndOfFile(() => browser.close()),
  };
}

type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>;

/** Uses a one-time link without its page. */
async function signIn(browser: Browser, address: string, token: string): Promise<Cookies> {
  const context = await browser.newContext();
  const response = await context.request.post(`${address}/v1/session/link`, {
    data: { token, password, name: 'Ada Byron' },
  });
  expect(response.status()).to.equal(201);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

async function newPageOf(browser: Browser, { width = 1440, theme = 'light' }: View): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    locale: 'en-US',
  });
  await context.route('**/v1/**', async (route) => {
    await pause(latency);
    await route.continue();
  });
  const page = await context.newPage();
  // The policy of the page blocks foreign scripts, and the browser reports that as an error in the console.
  page.on('console', (message) => {
    if (/Content Security Policy|Content-Security-Policy/.test(message.text())) {
      throw new Error(message.text());
    }
  });
  page.on('pageerror', (error) => {
    throw error;
  });
  return page;
}
