import { expect } from 'chai';

import { dryRunSchema } from '../../../../api/resources/replays/routes.js';
import { testIdentifier } from '../../../support/facts.js';
import { addApiKey, openAccount, type TestAccount } from '../../support/accounts.js';
import { createClient, read, refusalOf, type Client } from '../../support/client.js';
import { createReplay, longAgo, readReplay } from '../../support/replays.js';
import { createWebhook } from '../../support/webhooks.js';

const path = '/v1/replays';

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
      filter: { since: longAgo, until: created, types: null, only: 'missing' },
      matched: null,
      done: 0,
      failed: 0,
      finishedAt: null,
    });
  });

  it('shows the filter that was given', async () => {
    const until = '2021-01-01T00:00:00.000Z';
    const { filter } = await createReplay(live, { webhookId, until, types: ['a.b'], only: 'failed' });

    expect(filter).to.deep.equal({ since: longAgo, until, types: ['a.b'], only: 'failed' });
  });

  it('makes the replay readable at once', async () => {
    const { id } = await createReplay(live, { webhookId, only: 'all' });

    expect((await readReplay(live, id)).id).to.equal(id);
  });

  it('answers a dry run with 200 and the number of deliveries', async () => {
    const answer = await post({ dryRun: true });

    expect([answer.status, read(answer, dryRunSchema)]).to.deep.equal([200, { matched: 0 }]);
  });

  for (const [fields, apiError] of [
    [{ webhookId: undefined }, '400 parameter_missing webhookId'],
    [{ webhookId: 1 }, '400 parameter_invalid webhookId'],
    [{ webhookId: 'wh_1' }, '404 resource_missing'],
    [{ webhookId: testIdentifier('wh') }, '404 resource_missing'],
    [{ since: undefined }, '400 parameter_missing since'],
    [{ since: 'yesterday' }, '400 parameter_invalid since'],
    [{ since: null }, '400 parameter_invalid since'],
    [{ until: '2021-01-01' }, '400 parameter_invalid until'],
    [{ since: '2021-01-01T00:00:00.001Z', until: '2021-01-01T00:00:00.000Z' }, '400 parameter_invalid until'],
    [{ only: undefined }, '400 parameter_missing only'],
    [{ only: 'some' }, '400 parameter_invalid only'],
    [{ types: [] }, '400 parameter_invalid types'],
    [{ types: 'a.b' }, '400 parameter_invalid types'],
    [{ types: ['a.b', '*'] }, '400 event_type_invalid types[1]'],
    [{ dryRun: 'true' }, '400 parameter_invalid dryRun'],
    [{ webhook: 'wh_1' }, '400 parameter_unknown webhook'],
  ] as const) {
    it(`rejects ${JSON.stringify(fields)}`, async () => {
      expect(refusalOf(await post(fields))).to.equal(apiError);
    });
  }

  it('accepts a span of one moment', async () => {
    const at = '2021-01-01T00:00:00.000Z';

    expect((await post({ since: at, until: at })).status).to.equal(202);
  });

  for (const dryRun of [false, true]) {
    it(`rejects a webhook that is disabled${dryRun ? ', in a dry run too' : ''}`, async () => {
      const { id } = await createWebhook(live, { events: ['replay.disabled'] });
      await live.patchJson(`/v1/webhooks/${id}`, { status: 'disabled' });

      expect(refusalOf(await post({ webhookId: id, dryRun }))).to.equal('409 webhook_disabled');
    });
  }

  it('answers 404 for a deleted webhook', async () => {
    const { id } = await createWebhook(live, { events: ['replay.deleted'] });
    await live.delete(`/v1/webhooks/${id}`);

    expect(refusalOf(await post({ webhookId: id }))).to.equal('404 resource_missing');
  });

  it('answers 404 for a webhook of another account', async () => {
    const other = await openAccount(account.service);
    const answer = await other.live.postJson(path, { webhookId, since: longAgo, only: 'all' });

    expect(refusalOf(answer)).to.equal('404 resource_missing');
  });

  it('is rejected in test mode before other checks', async () => {
    expect(refusalOf(await account.test.post(`${path}?unknown=1`, 'no JSON'))).to.equal(
      '400 test_mode_unsupported',
    );
  });

  it('creates one replay for two requests with one idempotency key', async () => {
    const body = { webhookId, since: longAgo, only: 'all' };
    const headers = { 'idempotency-key': 'once' };
    const first = await live.postJson(path, body, headers);
    const second = await live.postJson(path, body, headers);

    expect([second.text, second.headers['idempotent-replayed']]).to.deep.equal([first.text, 'true']);
  });

  it('answers a repeated dry run with the status of a dry run', async () => {
    const body = { webhookId, since: longAgo, only: 'all', dryRun: true };
    const headers = { 'idempotency-key': 'dry' };
    await live.postJson(path, body, headers);

    expect((await live.postJson(path, body, headers)).status).to.equal(200);
  });

  it('requires the scope webhooks:write', async () => {
    const { secret } = await addApiKey(account, { mode: 'live', scopes: ['webhooks:read', 'events:write'] });
    const scoped = createClient(account.service.address, secret);
    const answer = await scoped.postJson(path, { webhookId, since: longAgo, only: 'all' });

    expect(refusalOf(answer)).to.equal('403 insufficient_scope');
  });
});
