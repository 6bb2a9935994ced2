import { expect } from 'chai';

import { replayListSchema, replaySchema } from '../../../../api/resources/replays/routes.js';
import { testIdentifier } from '../../../support/facts.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf, type Client } from '../../support/client.js';
import { openLogReader } from '../../support/records.js';
import { createReplay, replayOnce } from '../../support/replays.js';
import { createWebhook } from '../../support/webhooks.js';

describe('the replays of an account', () => {
  let account: TestAccount;
  let live: Client;
  let ids: readonly string[];
  before(async () => {
    account = await openAccount();
    live = account.live;
    const { id: webhookId } = await createWebhook(live, { events: ['replay.none'] });
    const made: string[] = [];
    for (const only of ['failed', 'missing', 'all']) {
      made.unshift((await createReplay(live, { webhookId, only })).id);
    }
    ids = made;
  });

  const listed = async (query = '') => {
    const { data, hasMore } = read(await live.get(`/v1/replays${query}`), replayListSchema);
    return { ids: data.map(({ id }) => id), hasMore };
  };

  it('are listed newest first', async () => {
    expect(await listed()).to.deep.equal({ ids, hasMore: false });
  });

  it('are listed page by page', async () => {
    expect([await listed('?limit=2'), await listed(`?startingAfter=${String(ids[1])}`)]).to.deep.equal([
      { ids: ids.slice(0, 2), hasMore: true },
      { ids: ids.slice(2), hasMore: false },
    ]);
  });

  it('are listed for one webhook', async () => {
    const other = await openAccount(account.service);
    const webhooks = await Promise.all(
      [1, 2].map(() => createWebhook(other.live, { events: ['replay.other'] })),
    );
    const made = await Promise.all(
      webhooks.map(({ id: webhookId }) => createReplay(other.live, { webhookId, only: 'all' })),
    );
    const found = await Promise.all(
      [...webhooks.map(({ id }) => id), testIdentifier('wh', 77)].map(async (id) => {
        const answer = await other.live.get(`/v1/replays?webhookId=${id}`);
        return read(answer, replayListSchema).data.map((replay) => replay.id);
      }),
    );

    expect(found).to.deep.equal([...made.map(({ id }) => [id]), []]);
  });

  it('cannot be listed for a malformed webhook id', async () => {
    expect(refusalOf(await live.get('/v1/replays?webhookId=wh_1'))).to.equal(
      '400 parameter_invalid webhookId',
    );
  });

  it('are completed if no delivery matches', async () => {
    const replay = await replayOnce(live, String(ids[0]), ({ status }) => status === 'completed');

    expect([
      ...[replay.matched, replay.omitted],
      ...[replay.done, replay.failed, replay.finishedAt === null],
    ]).to.deep.equal([0, 0, 0, 0, false]);
  });

  it('cannot be canceled after completion, and nothing is appended', async () => {
    const id = String(ids[0]);
    const completed = await replayOnce(live, id, ({ status }) => status === 'completed');
    const answer = await live.post(`/v1/replays/${id}/cancel`, '', {});
    const reader = await openLogReader(account.service, ['replays']);
    const types = (await reader.recordsOf('replays', id)).map(({ type }) => type);
    await reader.close();

    expect([answer.status, read(answer, replaySchema), types]).to.deep.equal([
      200,
      completed,
      ['postrider.replay.requested', 'postrider.replay.progressed', 'postrider.replay.completed'],
    ]);
  });

  it('cannot be listed from an unknown cursor', async () => {
    for (const query of ['?startingAfter=rpl_1', `?endingBefore=${testIdentifier('rpl')}`]) {
      expect(refusalOf(await live.get(`/v1/replays${query}`)), query).to.match(/^400 cursor_invalid/);
    }
  });

  it('are not found with a malformed id', async () => {
    const responses = [
      await live.get('/v1/replays/rpl_1'),
      await live.post('/v1/replays/rpl_1/cancel', '', {}),
    ];
    expect(responses.map(refusalOf)).to.deep.equal(['404 resource_missing', '404 resource_missing']);
  });

  it('are not in the list of the other mode', async () => {
    expect(read(await account.test.get('/v1/replays'), replayListSchema).data).to.deep.equal([]);
  });
});
