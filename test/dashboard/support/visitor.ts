import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';

import type { PlanTerms } from '../../../shared/domain/accounts/account.js';
import { createClient, type Client } from '../../support/client.js';
import { sharedService, type SharedService } from '../../support/service.js';
import { openBrowser } from './browser.js';

export const password = 'correct horse battery staple';

export interface View {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
}

/** An account of its own, its owner, and a browser. */
export interface Visit {
  readonly service: SharedService;
  /** The API with the account's full live key. */
  readonly client: Client;
  readonly testClient: Client;
  /** A new page of somebody who is not signed in. */
  readonly newPage: (view?: View) => Promise<Page>;
  /** A new page of the owner, at a place such as `/events`. */
  readonly open: (place: string, view?: View) => Promise<Page>;
  readonly addressOf: (place: string) => string;
  /** Of the one-time link of the owner; it is used up by the first `open`. */
  readonly signInUrl: string;
  readonly close: () => Promise<void>;
}

const height = 900;

/** Milliseconds by which each request to the API is held up: a test that reads a page before it has loaded fails always. */
const latency = 100;

/** Opens a browser beside the service that tests share. */
export async function startVisit(terms?: PlanTerms): Promise<Visit> {
  const service = await sharedService();
  const account = await service.createAccount(terms);
  const browser = await openBrowser();
  const addressOf = (place: string) => `${service.address}/dashboard${place}`;
  let cookies: Promise<Cookies> | null = null;
  const newPage = (view: View = {}) => newPageOf(browser, view);
  return {
    service,
    client: createClient(service.address, account.liveKey),
    testClient: createClient(service.address, account.testKey),
    newPage,
    open: async (place, view) => {
      cookies ??= signIn(browser, service.address, account.signInToken);
      const page = await newPage(view);
      await page.context().addCookies(await cookies);
      await page.goto(addressOf(place));
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    },
    addressOf,
    signInUrl: addressOf(`/link#token=${account.signInToken}`),
    close: () => browser.close(),
  };
}

type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>;

/** What the page of a one-time link does, without the page. */
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
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  await context.route('**/v1/**', async (route) => {
    await pause(latency);
    await route.continue();
  });
  const page = await context.newPage();
  // Under the page's policy a script of others would be refused, and the refusal be an error in the console.
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
