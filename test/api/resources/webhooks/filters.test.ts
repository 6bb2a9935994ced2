import { expect } from 'chai';

import { auditLogSchema } from '../../../../api/resources/audit/routes.js';
import { webhookSchema } from '../../../../api/resources/webhooks/schemas.js';
import { eventually } from '../../../support/eventually.js';
import { createOpened } from '../../../support/opened.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { errorOf, getCurrent, read, refusalOf } from '../../support/client.js';
import { openLogReader, type LogReader } from '../../support/records.js';
import { createWebhook } from '../../support/webhooks.js';

const filter = { data: { amount: { $gte: 100 } } };
const url = 'https://example.com/webhooks';

describe('the filter of a webhook', () => {
  const opened = createOpened();
  let account: TestAccount;
  let log: LogReader;
  before(async () => {
    account = await openAccount();
    log = await openLogReader(account.service, ['webhooks']);
    opened.add('log reader', log.close);
  });
  after(() => opened.releaseAll());

  const update = async (id: string, body: unknown) =>
    read(await account.live.patchJson(`/v1/webhooks/${id}`, body), webhookSchema);

  it('is null by default', async () => {
    expect((await createWebhook(account.live)).filter).to.equal(null);
  });

  it('is part of each representation of the webhook', async () => {
    const { id } = await createWebhook(account.live, { filter });
    const found = read(await account.live.get(`/v1/webhooks/${id}`), webhookSchema);
    const list = await getCurrent(account.live, '/v1/webhooks?limit=1&include=health');
    const listed = JSON.parse(list.text) as { data: { filter: unknown; health: unknown }[] };
    expect([found.filter, listed.data[0]?.filter]).to.deep.equal([filter, filter]);
    expect(listed.data[0]?.health).to.be.an('object');
  });

  it('keeps every digit of a number', async () => {
    const long = '{"data":{"amount":12345678901234567890.10}}';
    const body = `{"url":"${url}","events":["*"],"filter": ${long.replace(':', ' : ')}}`;
    const { status, text } = await account.live.post('/v1/webhooks', body);
    expect([status, text.includes(`"filter":${long}`)]).to.deep.equal([201, true]);
  });

  it('changes to and from null, and is recorded before and after', async () => {
    const { id } = await createWebhook(account.live);
    const set = await update(id, { filter });
    const same = await update(id, { filter });
    const other = await update(id, { name: 'Orders' });
    const removed = await update(id, { filter: null });
    expect([set, same, other, removed].map((one) => one.filter)).to.deep.equal([
      filter,
      filter,
      filter,
      null,
    ]);
    const changes = (await log.recordsOf('webhooks', id))
      .slice(1)
      .map(({ value }) => (JSON.parse(value) as { changes: { filter?: unknown } }).changes.filter);
    const text = JSON.stringify(filter);
    expect(changes).to.deep.equal([{ from: null, to: text }, undefined, { from: text, to: null }]);
  });

  it('appears in the audit log', async () => {
    const { id } = await createWebhook(account.live, { filter });
    await update(id, { filter: null });
    const entries = await eventually('both audit entries', async () => {
      const { data } = read(await account.live.get(`/v1/audit-log?resourceId=${id}`), auditLogSchema);
      return data.length === 2 ? data : null;
    });
    const text = JSON.stringify(filter);
    expect(entries.map(({ changes }) => changes['filter'])).to.deep.equal([
      { from: text, to: null },
      { from: null, to: text },
    ]);
  });

  const refused: readonly [what: string, filter: unknown, apiError: string][] = [
    ['a text', 'a', '400 filter_invalid filter'],
    ['a list', [], '400 filter_invalid filter'],
    ['an unknown field', { dta: 1 }, '400 filter_invalid filter.dta'],
    ['a wrong operand', { data: { amount: { $gt: true } } }, '400 filter_invalid filter.data.amount.$gt'],
  ];
  for (const [what, given, expected] of refused) {
    it(`is rejected if it is or has ${what}`, async () => {
      const { id } = await createWebhook(account.live);
      const created = await account.live.postJson('/v1/webhooks', { url, events: ['*'], filter: given });
      const changed = await account.live.patchJson(`/v1/webhooks/${id}`, { filter: given });
      expect([refusalOf(created), refusalOf(changed)]).to.deep.equal([expected, expected]);
    });
  }

  it('is rejected with the rule', async () => {
    const body = { url, events: ['*'], filter: { data: { amount: { $gt: true } } } };
    const { message } = errorOf(await account.live.postJson('/v1/webhooks', body));
    expect(message).to.equal('filter.data.amount.$gt must be a number or a text.');
  });
});
