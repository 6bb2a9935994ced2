import { expect } from 'chai';
import type { Browser } from 'playwright-core';

import { startService, type TestService } from '../support/service.js';
import { openBrowser } from './support/browser.js';
import { password } from './support/visitor.js';

describe('the session of a user', () => {
  let service: TestService;
  let browser: Browser;

  before(async () => {
    [service, browser] = await Promise.all([startService({}, ['projections', 'api']), openBrowser()]);
  });

  after(async () => {
    await browser.close();
    await service.stop();
  });

  it('continues after a restart of the API', async () => {
    const { signInToken: token } = await service.createAccount();
    const context = await browser.newContext();
    const signedIn = await context.request.post(`${service.address}/v1/session/link`, {
      data: { token, password, name: 'Ada Byron' },
    });
    expect(signedIn.status()).to.equal(201);
    await service.stopRole('api');
    await service.startRole('api');
    // Cookies do not depend on the port, which is another one after the restart.
    const page = await context.newPage();
    await page.goto(`${service.addressOf('api')}/dashboard/plan`);
    await page.getByRole('heading', { level: 1, name: 'Plan and limits' }).waitFor();
  });
});
