import { expect } from 'chai';
import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright-core';

import { eventually } from '../support/eventually.js';
import { startPlatform, type Platform } from './support/platform.js';

const widths = { phone: 390, desktop: 1280 } as const;

for (const [device, width] of Object.entries(widths)) {
  describe(`the portal in a frame that is taller than the screen of a ${device}`, () => {
    let platform: Platform;
    let context: BrowserContext;
    let page: Page;
    let frame: FrameLocator;

    before(async () => {
      platform = await startPlatform();
      const { client, tenantId } = platform.customer;
      await client.post('/v1/webhooks', {
        ...{ url: 'https://example.com', events: ['*'], name: 'Orders', tenantId },
        metadata: Object.fromEntries(
          Array.from({ length: 20 }, (_, at) => [`note${at}`, 'long '.repeat(100)]),
        ),
      });
      context = await platform.newContext({ width });
      ({ page, frame } = await platform.open(context));
      await frame.getByRole('link', { name: 'Orders' }).click();
      await frame.getByRole('button', { name: 'Delete' }).waitFor();
    });

    after(async () => {
      await context.close();
      await platform.close();
    });

    /** Waits until the whole element is on the screen. */
    const onScreen = (what: string, element: Locator) =>
      eventually(what, async () => {
        const box = await element.boundingBox();
        const height = page.viewportSize()?.height ?? 0;
        return box !== null && box.y >= 0 && box.y + box.height <= height ? true : null;
      });
    const scrolled = () => page.evaluate<number>('scrollY');

    it('opens a dialog where the user is', async () => {
      await frame.getByRole('button', { name: 'Delete' }).scrollIntoViewIfNeeded();
      const before = await scrolled();
      await frame.getByRole('button', { name: 'Delete' }).click();
      await onScreen('the dialog on the screen', frame.getByRole('dialog'));
      await frame.getByRole('button', { name: 'Cancel' }).click();
      expect(await scrolled()).to.equal(before);
    });

    it('keeps a dialog that grows within the frame', async () => {
      await frame.getByRole('button', { name: 'Delete' }).click();
      const dialog = frame.getByRole('dialog');
      await onScreen('the dialog on the screen', dialog);
      await page.frames().at(-1)?.evaluate(`document.querySelector('dialog').style.height = '9000px'`);
      const bottomOf = async (element: Locator) => {
        const box = await element.boundingBox();
        return box === null ? null : Math.round(box.y + box.height);
      };
      expect(await bottomOf(dialog)).to.equal(await bottomOf(page.locator('iframe')));
      await frame.getByRole('button', { name: 'Close' }).click();
    });

    it('begins a view at its heading', async () => {
      await frame.getByRole('link', { name: 'Recover events' }).click();
      await onScreen(
        'the heading on the screen',
        frame.getByRole('heading', { level: 1, name: 'Recover events' }),
      );
      await frame.getByRole('link', { name: 'Endpoint', exact: true }).click();
      await frame.getByRole('button', { name: 'Delete' }).waitFor();
    });

    it('shows what was done where the user is', async () => {
      await frame.getByRole('link', { name: 'Edit' }).click();
      await frame.getByRole('button', { name: 'Save' }).click();
      await onScreen('the announcement', frame.getByText('The endpoint was saved.'));
    });
  });
}
