import { expect } from 'chai';
import type { BrowserContext, FrameLocator, Page } from 'playwright-core';

import { eventually } from '../support/eventually.js';
import type { Customer } from './support/customer.js';
import { postToken, startPlatform, type Platform } from './support/platform.js';

/** Everything that a page sends to servers, except the bodies of requests. */
function recordRequests(context: BrowserContext): string[] {
  const sent: string[] = [];
  context.on('request', (request) => {
    sent.push(request.url(), request.headers()['referer'] ?? '', request.headers()['cookie'] ?? '');
  });
  return sent;
}

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

describe('the portal in the page of a platform', () => {
  let platform: Platform;
  let customer: Customer;
  let context: BrowserContext;
  let page: Page;
  let frame: FrameLocator;
  let sent: string[];

  before(async () => {
    platform = await startPlatform({ accentColor: '#b3261e' });
    ({ customer } = platform);
    context = await platform.newContext();
    sent = recordRequests(context);
    await context.addInitScript(blockStorageInFrames);
    ({ page, frame } = await platform.open(context));
  });

  after(async () => {
    await context.close();
    await platform.close();
  });

  it('opens on a listed origin, without cookies and storage', async () => {
    expect(await context.cookies(customer.service.address)).to.deep.equal([]);
    await frame.getByRole('heading', { name: 'No endpoint yet' }).waitFor();
  });

  it('reports its height to the platform', async () => {
    await eventually('the height of the frame', async () => {
      const style = await page.locator('iframe').getAttribute('style');
      return /height: [1-9]\d*px/.test(style ?? '') ? true : null;
    });
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
      ${postToken(fromParent)};
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
    expect(await context.cookies(customer.service.address)).to.deep.equal([]);
  });

  it('is blocked by the browser on any other origin', async () => {
    const { url } = await customer.newSession();
    const other = await context.newPage();
    await other.goto(platform.address.replace('localhost', '127.0.0.1'));
    await other.setContent(`<iframe src="${url}"></iframe>`);
    await eventually('an error page in the frame', () => {
      const inner = other.frames().find((each) => each.url().startsWith('chrome-error:'));
      return Promise.resolve(inner === undefined ? null : true);
    });
    await other.close();
  });
});
