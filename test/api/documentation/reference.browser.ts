import { expect } from 'chai';
import type { Page } from 'playwright-core';

import { describedApi } from '../../contract/describedApi.js';
import { startVisit, type Visit } from '../../dashboard/support/visitor.js';
import { createClient } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';

const { paths, webhooks, components, tags } = describedApi();
const operations = [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) =>
  Object.values(item),
);
/** Swagger UI takes a second for each operation that it opens. */
const firstOfEachTag = tags.flatMap(({ name }) => {
  const operation = operations.find((each) => each.tags.includes(name));
  return operation === undefined ? [] : [operation.operationId];
});

/** Swagger UI takes seconds of CPU time to show the page, and the tests share the machine. */
const maximumWaitMs = 90_000;

describe('the API reference in a browser', () => {
  let visit: Visit;
  let page: Page;
  /** What the browser reports or does, and a page without faults does not cause. */
  let faults: string[];

  before(async () => {
    visit = await startVisit();
  });

  beforeEach(async () => {
    page = await visit.newPage();
    page.setDefaultTimeout(maximumWaitMs);
    faults = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) {
        faults.push(message.text());
      }
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== 'data:' && origin !== visit.service.address) {
        faults.push(`${request.method()} ${request.url()}`);
      }
    });
  });

  afterEach(() => page.context().close());

  const openReference = async (query = '') => {
    await page.goto(`${visit.service.address}/docs${query}`);
    await page.locator('.opblock').first().waitFor();
  };

  const openOperation = async (operationId: string) => {
    const operation = page.locator(`.opblock[id$="-${operationId}"]`);
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.responses-wrapper').waitFor();
    return operation;
  };

  /** @returns the status of the response */
  const execute = async (operationId: string) => {
    const operation = await openOperation(operationId);
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute', exact: true }).click();
    const response = operation.locator('.live-responses-table .response');
    return {
      status: await response.locator('.response-col_status').textContent(),
      body: await response.locator('.highlight-code').first().innerText(),
    };
  };

  const authorize = async (key: string) => {
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.getByLabel('auth-bearer-value').fill(key);
    await page.getByRole('button', { name: 'Apply credentials' }).first().click();
    await page.getByRole('button', { name: 'Close' }).first().click();
  };

  /** The number of different schemas that the page shows. It renders only those that are in view. */
  const countSchemas = async () => {
    const rendered = page.locator('.models .json-schema-2020-12');
    const shown = new Set<string>();
    await eventually('all schemas', async () => {
      for (const text of await rendered.allInnerTexts()) {
        shown.add(text);
      }
      await rendered.last().scrollIntoViewIfNeeded();
      return shown.size >= Object.keys(components.schemas).length ? true : null;
    });
    return shown.size;
  };

  it('shows every operation, the webhook and all schemas, and loads nothing from other hosts', async () => {
    await openReference();
    for (const operationId of firstOfEachTag) {
      await openOperation(operationId);
    }
    expect([
      await page.locator('.opblock').count(),
      await page.locator('.opblock.is-open').count(),
      await countSchemas(),
      await page.locator('.errors-wrapper').allInnerTexts(),
      await page.getByText('Could not render').count(),
      faults,
    ]).to.deep.equal([
      operations.length,
      firstOfEachTag.length,
      Object.keys(components.schemas).length,
      [],
      0,
      [],
    ]);
  });

  it('shows the body and the headers that a webhook receives', async () => {
    await openReference();
    const text = await (await openOperation('receiveEvent')).innerText();
    expect(text).to.contain('webhook-signature').and.to.contain('"orderId": "ord_1"');
  });

  it('shows an operation with its curl command, its permission and links to the pages of its errors', async () => {
    await openReference();
    const operation = await openOperation('createEvent');
    const text = await operation.innerText();
    expect(text)
      .to.contain('curl "$POSTRIDER_URL/v1/events"')
      .and.to.contain('an API key with the scope events:write');
    const link = operation.getByRole('link', { name: 'idempotency_key_reused' });
    expect(await link.getAttribute('href')).to.equal('/docs/errors/idempotency_key_reused');
  });

  it('sends a request with an API key, and stores the key nowhere', async () => {
    await openReference();
    const { liveKey } = await visit.service.createAccount();
    await authorize(liveKey);
    const { status, body } = await execute('createEvent');
    expect([status, faults]).to.deep.equal(['201', []]);
    const id = /evt_[0-9A-Z]+/.exec(body)?.[0] ?? '';
    expect((await createClient(visit.service.address, liveKey).get(`/v1/events/${id}`)).status).to.equal(200);
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(stored).to.equal('[{},{},""]');
    await page.reload();
    expect((await execute('retrieveAccount')).status).to.contain('401');
  });

  it('does not use the session of the dashboard', async () => {
    await page.context().close();
    page = await visit.open('');
    await openReference();
    const { status, body } = await execute('retrieveAccount');
    expect([status?.includes('401'), body.includes('api_key_missing')]).to.deep.equal([true, true]);
  });

  it('shows no other document than its own', async () => {
    const other = encodeURIComponent('https://example.com/openapi.json');
    await openReference(`?url=${other}&configUrl=${other}`);
    expect(await page.locator('.info .title').innerText()).to.contain('Postrider');
    expect(faults).to.deep.equal([]);
  });

  for (const theme of ['light', 'dark'] as const) {
    it(`follows the ${theme} theme of the system`, async () => {
      await page.context().close();
      page = await visit.newPage({ theme });
      await openReference();
      expect(await page.evaluate('document.documentElement.classList.contains("dark-mode")')).to.equal(
        theme === 'dark',
      );
    });
  }
});
