import { expect } from 'chai';

import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { accessibilityFaults } from './support/accessibility.js';
import { untilListed } from './support/untilListed.js';
import { startVisit, type Visit } from './support/visitor.js';

describe('the overview of an account with a failing webhook and a webhook that answers 410', () => {
  let visit: Visit;
  let failing: Receiver;
  let gone: Receiver;
  let well: Receiver;
  let goneId: string;

  before(async () => {
    visit = await startVisit();
    failing = await startReceiver((_request, response) => response.writeHead(500).end());
    gone = await startReceiver((_request, response) => response.writeHead(410).end());
    well = await startReceiver();
    const [, , id] = await Promise.all(
      [well, failing, gone].map(async ({ url }) => {
        const { body } = await visit.client.post('/v1/webhooks', { url, events: ['*'] });
        return String(body['id']);
      }),
    );
    goneId = id ?? '';
    await visit.client.post('/v1/events', { type: 'order.completed', data: {} });
    await eventually('a webhook that is gone, and a failed attempt', async () => {
      const webhook = await visit.client.get(`/v1/webhooks/${goneId}`);
      const events = await visit.client.get('/v1/events?deliveryStatus=retrying');
      return webhook.body['disabledReason'] === 'gone' && events.text.includes('evt_') ? true : null;
    });
    await untilListed(visit.client, '/v1/attempts', failing.url, gone.url, well.url);
  });

  it('lists the disabled webhook first, then the failing one, before everything else', async () => {
    const page = await visit.open('');
    const table = page.getByRole('table', { name: 'Webhooks that do not deliver' });
    await table.getByRole('link', { name: gone.url }).waitFor();
    expect(await table.locator('tbody .webhook-link').allInnerTexts()).to.deep.equal([gone.url, failing.url]);
    expect(await page.locator('main h2').first().innerText()).to.equal('Undelivered events');
  });

  it('enables a webhook and sends what it missed, after it has named the number', async () => {
    const page = await visit.open('');
    await page.getByRole('button', { name: 'Enable and send what it missed' }).click();
    const dialog = page.getByRole('dialog', { name: 'Enable this webhook and send 1 event?' });
    await dialog.getByText(gone.url).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    // The webhook is enabled, and then the start of the replay fails: the dialog must survive the refreshed overview.
    await page.route('**/v1/replays', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });
    await dialog.getByRole('button', { name: 'Enable and send 1 event' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Enable and send what it missed' }).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Enable and send 1 event' }).click();
    await page.getByText('The replay has started.').waitFor();
    await eventually('the missed event at the receiver', () => (gone.requests.length > 1 ? true : null));
    await page.getByRole('link', { name: 'Show progress' }).click();
    await page.getByRole('heading', { name: 'Replays' }).waitFor();
  });

  it('counts the missed events of a disabled webhook on its page, and offers to send them', async () => {
    await visit.client.patch(`/v1/webhooks/${goneId}`, { status: 'disabled' });
    const page = await visit.open(`/webhooks/${goneId}`, { width: 390 });
    await page.getByText('Missed: 1 event.').waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(390);
    await page.getByRole('button', { name: 'Enable and send what it missed' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable and send 1 event' }).waitFor();
  });

  it('says which events the receiver may have processed, and when their number is unknown', async () => {
    const page = await visit.open('');
    const timeout = { code: 'timeout', statusCode: null, count: 500, firstAt: null, lastAt: null };
    let isKnown = true;
    await page.route(`**/v1/webhooks/${goneId}/health`, async (route) => {
      const response = await route.fetch();
      const health = (await response.json()) as object;
      await route.fulfill(
        isKnown ? { response, json: { ...health, failures: [timeout] } } : { status: 503, json: {} },
      );
    });
    const address = visit.addressOf(`/webhooks/${goneId}`);
    await page.goto(address);
    await page.getByText('No response within the time limit').waitFor();
    await page.getByRole('button', { name: 'Enable and send what it missed' }).click();
    await page.getByRole('dialog').getByText('At most 1 event may become duplicates.').waitFor();
    isKnown = false;
    await page.goto(address);
    await page.getByRole('button', { name: 'Enable and send what it missed' }).click();
    await page.getByRole('dialog').getByText('may have processed is unknown.').waitFor();
  });

  it('leads to the request and the response of a failed attempt', async () => {
    const page = await visit.open('/events');
    await page.getByRole('link', { name: 'order.completed' }).click();
    const delivery = page.getByRole('article').filter({ hasText: failing.url });
    await delivery.getByText('First attempt').click();
    const request = await delivery.getByRole('region', { name: /^Request of attempt/ }).innerText();
    const [sent] = failing.requests;
    expect(request).to.contain(`webhook-timestamp: ${String(sent?.headers['webhook-timestamp'])}`);
    expect(request).to.contain(sent?.body.toString());
    expect(request).to.contain(`POST ${failing.url}`);
    expect(request).to.contain('webhook-signature: v1,***');
    await delivery.getByText(/^Response: 500, after/).waitFor();
    expect(await delivery.getByRole('region', { name: /^Response to attempt/ }).innerText()).to.contain(
      'date: ',
    );
  });

  it('has a page for each attempt with the same request, which says what to do', async () => {
    const page = await visit.open('/attempts?status=failed&code=500');
    await page.getByRole('link', { name: '#1 First attempt' }).click();
    await page.getByRole('heading', { level: 1, name: 'Attempt #1 First attempt' }).waitFor();
    await page.getByText('Check the log of the receiver').waitFor();
    const [sent] = failing.requests;
    expect(await page.getByRole('region', { name: /^Request of attempt/ }).innerText()).to.contain(
      sent?.body.toString(),
    );
    await page.goto(page.url().replace(/att_.*$/, 'att_01HZZZZZZZZZZZZZZZZZZZZZZZ'));
    await page.getByText('The event has no attempt with this id.').waitFor();
  });

  it('sends what failed after it has named the number', async () => {
    const page = await visit.open('');
    const row = page.getByRole('row').filter({ hasText: failing.url });
    await row.getByRole('button', { name: 'Retry what failed' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send 1 event?' });
    await dialog.getByText(failing.url).waitFor();
    const before = failing.requests.length;
    await dialog.getByRole('button', { name: 'Send 1 event' }).click();
    await page.getByText('The replay has started.').waitFor();
    await eventually('another attempt', () => (failing.requests.length > before ? true : null));
  });

  it('offers the request as a curl command with a new signature for a local receiver', async () => {
    const page = await visit.open('/events');
    await page.getByRole('link', { name: 'order.completed' }).click();
    const delivery = page.getByRole('article').filter({ hasText: failing.url });
    await delivery.getByText('First attempt').click();
    await delivery.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByLabel('Signing secret').fill('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    await page.keyboard.press('Enter');
    await page.getByText(/webhook-signature: v1,[A-Za-z0-9+/]{43}=/).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });
});
