import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import type { Mongo } from '../../../shared/store/client/client.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { startAnotherApi } from '../support/anotherApi.js';
import { batchPath, idsOf, postBatch, resultsOf, summaryOf } from '../support/batches.js';
import { createClient, refusalOf, type Client } from '../support/client.js';
import { openLogReader, type LogReader } from '../support/records.js';
import { openMongo } from '../../support/mongo.js';

const epoch = new Date(0);

describe('the idempotency of a batch', () => {
  let account: TestAccount;
  let elsewhere: Client;
  let mongo: Mongo;
  let log: LogReader;
  before(async () => {
    account = await openAccount();
    const another = await startAnotherApi(account.service);
    elsewhere = createClient(another.address, account.liveKey);
    mongo = await openMongo(account.service.config.mongodb.url);
    log = await openLogReader(account.service, ['events']);
  });

  const reservations = () => mongo.database.collection<{ readonly _id: string }>('idempotency');

  /** Events with a marker in their data, each with its own idempotency key. */
  const keyedEvents = (count: number) => {
    const marker = randomUUID();
    return {
      marker,
      events: Array.from({ length: count }, (_, n) => ({
        type: 'order.completed',
        data: { marker, n },
        idempotencyKey: `${marker} ${n}`,
      })),
    };
  };

  /** The reservations that `send` has made for its events. */
  const reservedBy = async (send: () => Promise<unknown>) => {
    const ofAccount = { $regex: `^${account.id}` };
    const before = await reservations().distinct('_id', { _id: ofAccount });
    await send();
    return { _id: { ...ofAccount, $nin: before } };
  };

  it('gives a repeated event its first answer in any batch and process, and appends nothing', async () => {
    const { marker, events } = keyedEvents(3);
    const first = await postBatch(account.live, events);
    const again = await postBatch(elsewhere, events.toReversed());
    expect([again.toReversed(), (await log.recordsWith('events', marker)).length]).to.deep.equal([first, 3]);
  });

  it('accepts only the new events of a repeated batch', async () => {
    const { marker, events } = keyedEvents(4);
    const first = idsOf(await postBatch(account.live, events.slice(0, 2)));
    const all = idsOf(await postBatch(account.live, events));
    const records = await log.recordsWith('events', marker);
    expect([all.slice(0, 2), records.map(({ id }) => id).toSorted()]).to.deep.equal([first, all.toSorted()]);
  });

  it('fails an event with the key of another event', async () => {
    const { events } = keyedEvents(2);
    await postBatch(account.live, events);
    const changed = events.map((event, n) => (n === 0 ? event : { ...event, type: 'order.changed' }));
    expect(summaryOf(await postBatch(account.live, changed))).to.deep.equal([
      'order.completed',
      'idempotency_key_reused events[1].idempotencyKey',
    ]);
  });

  it('accepts an event once that a batch contains twice', async () => {
    const { marker, events } = keyedEvents(1);
    const ids = idsOf(await postBatch(account.live, [...events, ...events, ...events]));
    const records = await log.recordsWith('events', marker);
    expect([new Set(ids).size, ids.length, records.length]).to.deep.equal([1, 3, 1]);
  });

  it('fails the second of two events of a batch with one key', async () => {
    const { events } = keyedEvents(1);
    const other = events.map((event) => ({ ...event, type: 'order.other' }));
    expect(summaryOf(await postBatch(account.live, [...events, ...other]))).to.deep.equal([
      'order.completed',
      'idempotency_key_reused events[1].idempotencyKey',
    ]);
  });

  it('separates keys by mode, and from keys in headers', async () => {
    const { events } = keyedEvents(1);
    const [live] = idsOf(await postBatch(account.live, events));
    const [test] = idsOf(await postBatch(account.test, events));
    const single = await account.live.postJson(
      '/v1/events',
      { type: 'a', data: {} },
      { 'idempotency-key': String(events[0]?.idempotencyKey) },
    );
    expect([live === test, single.status, single.headers['idempotent-replayed']]).to.deep.equal([
      false,
      201,
      undefined,
    ]);
  });

  it('appends one record for each key of twenty concurrent batches on two processes', async () => {
    const { marker, events } = keyedEvents(20);
    const batches = await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        postBatch(number % 2 === 0 ? account.live : elsewhere, events),
      ),
    );
    const errors = batches.flatMap(summaryOf).filter((summary) => summary !== 'order.completed');
    const accepted = new Set(batches.flatMap(idsOf));
    const records = await log.recordsWith('events', marker);
    expect([
      errors.filter((error) => !error.startsWith('idempotency_key_in_use')),
      records.map(({ id }) => id).toSorted(),
    ]).to.deep.equal([[], [...accepted].toSorted()]);
  });

  it('appends the same events again if the first process ended before its answer', async () => {
    const { marker, events } = keyedEvents(3);
    let first: readonly string[] = [];
    const made = await reservedBy(async () => {
      first = idsOf(await postBatch(account.live, events));
    });
    await reservations().updateMany(made, { $unset: { answer: '' } });
    const held = await postBatch(elsewhere, events);
    await reservations().updateMany(made, { $set: { heldUntil: epoch } });
    const again = idsOf(await postBatch(elsewhere, events));
    const records = await log.recordsWith('events', marker);
    expect([
      new Set(summaryOf(held).map((summary) => summary.split(' ')[0])),
      again,
      new Set(records.map(({ id }) => id)).size,
    ]).to.deep.equal([new Set(['idempotency_key_in_use']), first, 3]);
  });

  describe('with an Idempotency-Key', () => {
    it('repeats the first response byte for byte, and appends nothing', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const marker = randomUUID();
      const body = {
        events: [
          { type: 'a', data: { marker, amount: 1.1 } },
          { type: 'b..' },
          { type: 'c', data: { marker } },
        ],
      };
      const first = await account.live.postJson(batchPath, body, headers);
      const again = await elsewhere.postJson(batchPath, body, headers);
      const records = await log.recordsWith('events', marker);
      expect([again.text, again.headers['idempotent-replayed'], records.length]).to.deep.equal([
        first.text,
        'true',
        2,
      ]);
    });

    it('rejects another batch', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      await account.live.postJson(batchPath, { events: [{ type: 'a', data: {} }] }, headers);
      const other = await account.live.postJson(batchPath, { events: [{ type: 'b', data: {} }] }, headers);
      expect(refusalOf(other)).to.equal('422 idempotency_key_reused');
    });

    it('appends the same events again if the first process ended before its answer', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const events = Array.from({ length: 30 }, (_, n) => ({ type: 'a', data: { n } }));
      let first: readonly string[] = [];
      const made = await reservedBy(async () => {
        first = idsOf(await postBatch(account.live, events, headers));
      });
      await reservations().updateMany(made, { $unset: { answer: '' }, $set: { heldUntil: epoch } });
      const again = await account.live.postJson(batchPath, { events }, headers);
      expect([idsOf(resultsOf(again)), again.headers['idempotent-replayed']]).to.deep.equal([
        first,
        undefined,
      ]);
    });

    it('does not store a response with an error that is worth retrying', async () => {
      const { events } = keyedEvents(2);
      const made = await reservedBy(() => postBatch(account.live, events.slice(0, 1)));
      await reservations().updateMany(made, { $unset: { answer: '' } });
      const headers = { 'idempotency-key': randomUUID() };
      const first = await postBatch(account.live, events, headers);
      await reservations().updateMany(made, { $set: { heldUntil: epoch } });
      const again = await account.live.postJson(batchPath, { events }, headers);
      const results = resultsOf(again);
      expect([
        summaryOf(first),
        summaryOf(results),
        idsOf(results)[1],
        again.headers['idempotent-replayed'],
      ]).to.deep.equal([
        ['idempotency_key_in_use events[0].idempotencyKey', 'order.completed'],
        ['order.completed', 'order.completed'],
        idsOf(first)[0],
        undefined,
      ]);
    });
  });
});
