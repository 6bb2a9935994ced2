import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import { noBody, takesIdempotencyKey, type Route } from '../../../api/http/route.js';
import { connectMongo, type Mongo } from '../../../shared/store/client/client.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { call, refusalOf } from '../support/client.js';
import { openOwner, type SignedInUser } from '../support/signedInUsers.js';
import { routeTable } from '../support/routeTable.js';

/** All operations that take an idempotency key behave alike, because their handlers do nothing for it. */
describe('the idempotency of every POST', () => {
  let account: TestAccount;
  let owner: SignedInUser;
  let mongo: Mongo;
  before(async () => {
    account = await openAccount();
    owner = await openOwner(account);
    mongo = await connectMongo(account.service.config.mongodb.url, 'test');
  });
  after(() => mongo.close());

  const send = ({ path, body, examples, audience }: Route, key: string, space = '') =>
    call(account.service.address, path.replace(':id', 'unknown'), {
      method: 'POST',
      headers: {
        'idempotency-key': key,
        ...(body === noBody ? {} : { 'content-type': 'application/json' }),
        ...(audience === undefined
          ? { authorization: `Bearer ${account.liveKey}` }
          : { cookie: owner.cookie, 'postrider-csrf': owner.csrfToken }),
      },
      body: body === noBody ? '' : `${JSON.stringify(examples?.body)}${space}`,
    });

  for (const route of routeTable.filter(takesIdempotencyKey)) {
    const { path, body } = route;

    it(`repeats the first response at ${path}`, async () => {
      const key = randomUUID();
      const [first, second] = [await send(route, key), await send(route, key)];
      expect([second.status, second.headers['idempotent-replayed']]).to.deep.equal([first.status, 'true']);
    });

    it(`answers 400 to an invalid key at ${path}`, async () => {
      expect(refusalOf(await send(route, '"'))).to.equal('400 idempotency_key_invalid');
    });

    it(`answers 409 while the first request is in flight at ${path}`, async () => {
      const key = randomUUID();
      const reservations = mongo.database.collection<{ readonly _id: string }>('idempotency');
      // Other tests use the service at the same time.
      const ofAccount = { $regex: `^${account.id}/` };
      const before = await reservations.distinct('_id', { _id: ofAccount });
      await send(route, key);
      await reservations.updateMany({ _id: { ...ofAccount, $nin: before } }, { $unset: { answer: '' } });
      expect(refusalOf(await send(route, key))).to.equal('409 idempotency_key_in_use');
    });

    if (body !== noBody) {
      it(`answers 422 to another body at ${path}`, async () => {
        const key = randomUUID();
        await send(route, key);
        expect(refusalOf(await send(route, key, ' '))).to.equal('422 idempotency_key_reused');
      });
    }
  }
});
