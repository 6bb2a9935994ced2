import { expect } from 'chai';

import { auditLogSchema } from '../../../../api/resources/audit/routes.js';
import { webhookSchema } from '../../../../api/resources/webhooks/schemas.js';
import { eventually } from '../../../support/eventually.js';
import { createOpened } from '../../../support/opened.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { getCurrent, read, refusalOf } from '../../support/client.js';
import { openLogReader, type LogReader } from '../../support/records.js';
import { createWebhook } from '../../support/webhooks.js';

const url = 'https://example.com/webhooks';

const tooMany = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`key${at}`, '']));

interface Option {
  readonly name: 'signatureHeaderPrefix' | 'timeoutSeconds' | 'metadata';
  readonly valid: readonly unknown[];
  readonly invalid: readonly (readonly [value: unknown, param: string])[];
  /** The value in records and in the audit log. */
  readonly recorded?: (value: unknown) => unknown;
}

const options: readonly Option[] = [
  {
    name: 'signatureHeaderPrefix',
    valid: ['svix', 'x', 'acme-2-events', 'contents', 'a'.repeat(32)],
    invalid: ['', 'Svix', '2x', 'a-', '-a', 'a_b', 'content', 'proxy-x', 'a'.repeat(33), 1, 'a\n'].map(
      (value) => [value, 'signatureHeaderPrefix'],
    ),
  },
  {
    name: 'timeoutSeconds',
    valid: [1, 30],
    invalid: [0, 31, 1.5, '5', -1].map((value) => [value, 'timeoutSeconds']),
  },
  {
    name: 'metadata',
    valid: [{}, { team: 'orders', 'a.b': '$x', $c: '' }, { ['k'.repeat(40)]: 'v'.repeat(500) }],
    invalid: [
      ['a', 'metadata'],
      [[], 'metadata'],
      [{ a: 1 }, 'metadata.a'],
      [{ a: 'v'.repeat(501) }, 'metadata.a'],
      [{ ['k'.repeat(41)]: '' }, `metadata.${'k'.repeat(41)}`],
      [tooMany, 'metadata'],
    ],
    recorded: JSON.stringify,
  },
];

describe('an option of a webhook', () => {
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

  for (const { name, valid, invalid, recorded = (value: unknown) => value } of options) {
    describe(name, () => {
      const [first, second] = valid;

      it('is null by default', async () => {
        expect((await createWebhook(account.live))[name]).to.equal(null);
      });

      it('can be null in a new webhook', async () => {
        expect((await createWebhook(account.live, { [name]: null }))[name]).to.equal(null);
      });

      for (const value of valid) {
        it(`can be ${JSON.stringify(value).slice(0, 60)}`, async () => {
          expect((await createWebhook(account.live, { [name]: value }))[name]).to.deep.equal(value);
        });
      }

      it('is part of each representation of the webhook', async () => {
        const { id } = await createWebhook(account.live, { [name]: second });
        const found = read(await account.live.get(`/v1/webhooks/${id}`), webhookSchema);
        const list = await getCurrent(account.live, '/v1/webhooks?limit=1&include=health');
        const listed = JSON.parse(list.text) as { data: Record<string, unknown>[] };
        expect([found[name], listed.data[0]?.[name]]).to.deep.equal([second, second]);
      });

      it('changes to and from null, and is recorded before and after', async () => {
        const { id } = await createWebhook(account.live);
        const changed = [
          await update(id, { [name]: first }),
          await update(id, { [name]: first }),
          await update(id, { name: 'Orders' }),
          await update(id, { [name]: second }),
          await update(id, { [name]: null }),
        ];
        expect(changed.map((webhook) => webhook[name])).to.deep.equal([first, first, first, second, null]);
        const changes = (await log.recordsOf('webhooks', id))
          .slice(1)
          .map(({ value }) => (JSON.parse(value) as { changes: Record<string, unknown> }).changes[name]);
        const [from, to] = [recorded(first), recorded(second)];
        expect(changes).to.deep.equal([
          { from: null, to: from },
          undefined,
          { from, to },
          { from: to, to: null },
        ]);
      });

      it('appears in the audit log', async () => {
        const { id } = await createWebhook(account.live, { [name]: second });
        await update(id, { [name]: null });
        const entries = await eventually('both audit entries', async () => {
          const { data } = read(await account.live.get(`/v1/audit-log?resourceId=${id}`), auditLogSchema);
          return data.length === 2 ? data : null;
        });
        expect(entries.map(({ changes }) => changes[name])).to.deep.equal([
          { from: recorded(second), to: null },
          { from: null, to: recorded(second) },
        ]);
      });

      for (const [value, param] of invalid) {
        it(`cannot be ${JSON.stringify(value).slice(0, 60)}`, async () => {
          const { id } = await createWebhook(account.live);
          const created = await account.live.postJson('/v1/webhooks', { url, events: ['*'], [name]: value });
          const changed = await account.live.patchJson(`/v1/webhooks/${id}`, { [name]: value });
          const expected = `400 parameter_invalid ${param}`;
          expect([refusalOf(created), refusalOf(changed)]).to.deep.equal([expected, expected]);
        });
      }
    });
  }

  it('stays unchanged when another option changes', async () => {
    const set = {
      signatureHeaderPrefix: 'svix',
      timeoutSeconds: 3,
      metadata: { a: 'b' },
      filter: { type: 'a' },
    };
    const { id } = await createWebhook(account.live, set);
    await update(id, { timeoutSeconds: null });
    const found = read(await account.live.get(`/v1/webhooks/${id}`), webhookSchema);
    expect(found).to.deep.include({ ...set, timeoutSeconds: null });
  });
});
