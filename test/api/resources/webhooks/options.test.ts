import { expect } from 'chai';

import { auditLogSchema } from '../../../../api/resources/audit/routes.js';
import { webhookSchema } from '../../../../api/resources/webhooks/schemas.js';
import { eventually } from '../../../support/eventually.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { errorOf, getCurrent, read, refusalOf } from '../../support/client.js';
import { openLogReader, type LogReader } from '../../support/records.js';
import { createWebhook } from '../../support/webhooks.js';

const url = 'https://example.com/webhooks';

/** Two values of each option. Records and the audit log contain objects as JSON. */
const [first, second] = [
  {
    signatureHeaderPrefix: 'svix',
    format: 'cloudevents',
    timeoutSeconds: 3,
    metadata: { team: 'orders' },
    filter: { data: { amount: { $gte: 100 } } },
  },
  {
    signatureHeaderPrefix: 'acme',
    format: 'thin',
    timeoutSeconds: 30,
    metadata: { team: 'shipping', 'a.b': '$x' },
    filter: { type: 'order.completed' },
  },
] as const;
const none = {
  ...{ signatureHeaderPrefix: null, format: null, timeoutSeconds: null },
  ...{ metadata: null, filter: null },
};
const names = ['signatureHeaderPrefix', 'format', 'timeoutSeconds', 'metadata', 'filter'] as const;

const recorded = (value: unknown) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

describe('the options of a webhook', () => {
  let account: TestAccount;
  let log: LogReader;
  before(async () => {
    account = await openAccount();
    log = await openLogReader(account.service, ['webhooks']);
  });

  const update = async (id: string, body: unknown) =>
    read(await account.live.patchJson(`/v1/webhooks/${id}`, body), webhookSchema);

  /** The value before and after each change of an option. */
  const changesOf = (
    name: (typeof names)[number],
    ...values: readonly (typeof first | typeof second | typeof none)[]
  ) =>
    values.slice(1).map((value, index) => ({
      from: recorded(values[index]?.[name]),
      to: recorded(value[name]),
    }));

  it('are part of each representation of the webhook', async () => {
    const { id } = await createWebhook(account.live, first);
    const found = read(await account.live.get(`/v1/webhooks/${id}`), webhookSchema);
    const list = await getCurrent(account.live, '/v1/webhooks?limit=1&include=health');
    const listed = JSON.parse(list.text) as { data: Record<string, unknown>[] };
    expect(found).to.deep.include(first);
    expect(listed.data[0]).to.deep.include(first);
    expect(listed.data[0]?.['health']).to.be.an('object');
  });

  it('change to and from null, and are recorded and audited before and after', async () => {
    const { id } = await createWebhook(account.live, none);
    const changed = [
      await update(id, first),
      await update(id, first),
      await update(id, { name: 'Orders' }),
      await update(id, second),
      await update(id, none),
    ];
    [first, first, first, second, none].forEach((options, index) => {
      expect(changed[index]).to.deep.include(options);
    });
    const records = (await log.recordsOf('webhooks', id))
      .slice(1)
      .map(({ value }) => (JSON.parse(value) as { changes: Record<string, unknown> }).changes);
    const entries = await eventually('all audit entries', async () => {
      const { data } = read(await account.live.get(`/v1/audit-log?resourceId=${id}`), auditLogSchema);
      return data.length === 5 ? data.toReversed().map(({ changes }) => changes) : null;
    });
    for (const name of names) {
      const [set, replaced, removed] = changesOf(name, none, first, second, none);
      const expected = [set, undefined, replaced, removed];
      expect(records.map((changes) => changes[name])).to.deep.equal(expected);
      expect(entries.slice(1).map((changes) => changes[name])).to.deep.equal(expected);
    }
  });

  it('stay unchanged when another one changes', async () => {
    const { id } = await createWebhook(account.live, first);
    expect(await update(id, { timeoutSeconds: null })).to.deep.include({ ...first, timeoutSeconds: null });
  });

  it('contain every digit of a number in a filter', async () => {
    const long = '{"data":{"amount":12345678901234567890.10}}';
    const body = `{"url":"${url}","events":["*"],"filter": ${long.replace(':', ' : ')}}`;
    const { status, text } = await account.live.post('/v1/webhooks', body);
    expect([status, text.includes(`"filter":${long}`)]).to.deep.equal([201, true]);
  });

  it('are validated in a creation and in a change', async () => {
    const { id } = await createWebhook(account.live);
    for (const [fields, refusal] of [
      [{ timeoutSeconds: 31 }, '400 parameter_invalid timeoutSeconds'],
      [{ filter: { dta: 1 } }, '400 filter_invalid filter.dta'],
      [{ filter: { data: { amount: { $gt: true } } } }, '400 filter_invalid filter.data.amount.$gt'],
    ] as const) {
      const created = await account.live.postJson('/v1/webhooks', { url, events: ['*'], ...fields });
      const changed = await account.live.patchJson(`/v1/webhooks/${id}`, fields);
      expect([refusalOf(created), refusalOf(changed)]).to.deep.equal([refusal, refusal]);
      expect(errorOf(created).message).to.contain(refusal.split(' ')[2]);
    }
  });
});
