import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import { attemptListSchema } from '../../../api/resources/attempts/routes.js';
import type { Mongo } from '../../../shared/store/client/client.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { read, type Response } from '../support/client.js';
import { postEvent } from '../support/events.js';
import { openLogReader, type LogReader } from '../support/records.js';
import { createWebhook } from '../support/webhooks.js';
import { openMongo } from '../../support/mongo.js';

/** A resend whose process crashes between its append and its response. */
describe('the takeover of an interrupted resend', () => {
  let account: TestAccount;
  let mongo: Mongo;
  let log: LogReader;
  let receiver: Receiver;
  let id: string;

  before(async () => {
    account = await openAccount();
    mongo = await openMongo(account.service.config.mongodb.url);
    log = await openLogReader(account.service, ['deliveries']);
    receiver = await startReceiver();
    await createWebhook(account.live, { url: receiver.url });
  });

  beforeEach(async () => {
    ({ id } = await postEvent(account.live));
    await attempts(1);
  });

  const attempts = (count: number) =>
    eventually(`${count} attempts`, async () => {
      const { data } = read(await account.live.get(`/v1/events/${id}/attempts`), attemptListSchema);
      return data.length >= count ? data.toReversed() : null;
    });

  const resend = (headers: Readonly<Record<string, string>> = {}) =>
    account.live.post(`/v1/events/${id}/resend`, '', headers);

  /** Requests a resend, and leaves its reservation as a crash before the response does: unanswered and expired. */
  const dies = async (): Promise<() => Promise<Response>> => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => resend(headers);
    const reservations = mongo.database.collection<{ readonly _id: string }>('idempotency');
    const ofAccount = { $regex: `^${account.id}` };
    const before = await reservations.distinct('_id', { _id: ofAccount });
    await send();
    const { matchedCount } = await reservations.updateOne(
      { _id: { ...ofAccount, $nin: before } },
      { $unset: { answer: '' }, $set: { heldUntil: new Date(0) } },
    );
    expect(matchedCount).to.equal(1);
    return send;
  };

  const requests = async () =>
    (await log.recordsOf('deliveries', id)).filter(({ type }) => type === 'postrider.delivery.requested');

  it('requests one cycle, and a repeat requests no other', async () => {
    const again = await dies();
    await attempts(2);
    const { status } = await again();
    // Another resend is requested after the repeat, so its attempt comes last.
    await resend();
    const made = await attempts(3);

    expect([status, made.map(({ number, trigger }) => [number, trigger])]).to.deep.equal([
      202,
      [
        [1, 'first'],
        [2, 'resend'],
        [3, 'resend'],
      ],
    ]);
    expect(await requests()).to.have.lengthOf(2);
  });

  it('requests one cycle, also if another resend was requested since', async () => {
    const again = await dies();
    await attempts(2);
    await resend();
    await attempts(3);
    const { status } = await again();

    expect([status, (await requests()).length]).to.deep.equal([202, 2]);
  });
});
