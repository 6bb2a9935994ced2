import { expect } from 'chai';

import { dryRunSchema } from '../../../../api/resources/replays/routes.js';
import { testIdentifier } from '../../../support/facts.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf, type Client } from '../../support/client.js';
import { createReplay, longAgo, readReplay } from '../../support/replays.js';
import { createWebhook } from '../../support/webhooks.js';

const path = '/v1/replays';
const noCodes = { statusCodes: null, errorCodes: null };

describe('POST /v1/replays', () => {
  let account: TestAccount;
  let live: Client;
  let webhookId: string;
  before(async () => {
    account = await openAccount();
    live = account.live;
    webhookId = (await createWebhook(live)).id;
  });

  const post = (fields: Readonly<Record<string, unknown>>) =>
    live.postJson(path, { webhookId, since: longAgo, only: 'all', ...fields });

  it('answers 202 with a running replay that has counted nothing', async () => {
    const { id: _id, created, ...replay } = await createReplay(live, { webhookId, only: 'missing' });

    expect(replay).to.deep.equal({
      webhookId,
      status: 'running',
      filter: { since: longAgo, until: created, types: null, only: 'missing', ...noCodes, eventIds: null },
      matched: null,
      omitted: null,
      done: 0,
      failed: 0,
      joined: 0,
      finishedAt: null,
    });
  });

  it('shows the filter that was given', async () => {
    const until = '2021-01-01T00:00:00.000Z';
    const codes = { statusCodes: [500, 503], errorCodes: ['http_status'] };
    const fields = { until, types: ['a.b'], only: 'undelivered', ...codes };
    const { filter } = await createReplay(live, { webhookId, ...fields });

    expect(filter).to.deep.equal({ since: longAgo, ...fields, eventIds: null });
  });

  it('shows the events that were given, each once, without a time range', async () => {
    const eventIds = [testIdentifier('evt', 2), testIdentifier('evt', 1), testIdentifier('evt', 2)];
    const { filter } = await createReplay(live, { webhookId, eventIds, only: 'all' });

    expect(filter).to.deep.equal({
      ...{ since: null, until: null, types: null, only: 'all' },
      ...{ ...noCodes, eventIds: eventIds.slice(0, 2) },
    });
  });

  it('accepts 500 events', async () => {
    const eventIds = Array.from({ length: 500 }, (_, number) => testIdentifier('evt', number));

    expect((await post({ since: undefined, eventIds })).status).to.equal(202);
  });

  it('makes the replay readable at once', async () => {
    const { id } = await createReplay(live, { webhookId, only: 'all' });

    expect((await readReplay(live, id)).id).to.equal(id);
  });

  it('answers a dry run with 200 and the number of deliveries until then', async () => {
    const before = Date.now();
    const answer = await post({ dryRun: true });
    const { until, ...counted } = read(answer, dryRunSchema);

    expect([answer.status, counted]).to.deep.equal([200, { matched: 0, complete: true }]);
    expect(Date.parse(until)).to.be.within(before, Date.now());
  });

  it('answers a dry run with the end that was given', async () => {
    const until = '2021-01-01T00:00:00.000Z';

    expect(read(await post({ until, dryRun: true }), dryRunSchema).until).to.equal(until);
  });

  it('answers a dry run that ends in the future with the present time', async () => {
    const { until } = read(await post({ until: '2999-01-01T00:00:00.000Z', dryRun: true }), dryRunSchema);

    expect(Date.parse(until)).to.be.at.most(Date.now());
  });

  it('validates its body', async () => {
    expect(refusalOf(await post({ eventIds: [testIdentifier('evt')] }))).to.equal(
      '400 parameter_invalid since',
    );
  });

  it('accepts a span of one moment', async () => {
    const at = '2021-01-01T00:00:00.000Z';

    expect((await post({ since: at, until: at })).status).to.equal(202);
  });

  it('accepts times with an offset, which clients of Python send', async () => {
    const [since, until] = ['2021-01-01T00:00:00.000000+00:00', '2021-01-01T01:00:00+01:00'];

    const { filter } = await createReplay(live, { webhookId, only: 'all', since, until });

    const at = '2021-01-01T00:00:00.000Z';
    expect(filter).to.include({ since: at, until: at });
  });

  it('rejects a webhook that is disabled, but counts for it in a dry run', async () => {
    const { id } = await createWebhook(live, { events: ['replay.disabled'] });
    await live.patchJson(`/v1/webhooks/${id}`, { status: 'disabled' });

    expect([
      refusalOf(await post({ webhookId: id })),
      (await post({ webhookId: id, dryRun: true })).status,
    ]).to.deep.equal(['409 webhook_disabled', 200]);
  });

  it('answers 404 for a webhook that is unknown, deleted or of another account', async () => {
    const { id: deleted } = await createWebhook(live, { events: ['replay.deleted'] });
    await live.delete(`/v1/webhooks/${deleted}`);
    const other = await openAccount(account.service);
    const answers = [
      await post({ webhookId: 'wh_1' }),
      await post({ webhookId: testIdentifier('wh') }),
      await post({ webhookId: deleted }),
      await other.live.postJson(path, { webhookId, since: longAgo, only: 'all' }),
    ];

    expect(answers.map(refusalOf)).to.deep.equal(answers.map(() => '404 resource_missing'));
  });

  it('is rejected in test mode before other checks', async () => {
    expect(refusalOf(await account.test.post(`${path}?unknown=1`, 'no JSON'))).to.equal(
      '400 test_mode_unsupported',
    );
  });

  it('answers a repeated dry run with the status of a dry run', async () => {
    const body = { webhookId, since: longAgo, only: 'all', dryRun: true };
    const headers = { 'idempotency-key': 'dry' };
    await live.postJson(path, body, headers);

    expect((await live.postJson(path, body, headers)).status).to.equal(200);
  });
});
