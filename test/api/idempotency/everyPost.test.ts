import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import { noBody, takesIdempotencyKey, type Route } from '../../../api/http/route.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { call } from '../support/client.js';
import { openOwner, type SignedInUser } from '../support/signedInUsers.js';
import { routeTable } from '../support/routeTable.js';

/** All operations that take an idempotency key behave alike, because their handlers do nothing for it. */
describe('the idempotency of every POST', () => {
  let account: TestAccount;
  let owner: SignedInUser;
  before(async () => {
    account = await openAccount();
    owner = await openOwner(account);
  });
  const send = ({ path, body, examples, audience }: Route, key: string) =>
    call(account.service.address, path.replace(':id', 'unknown'), {
      method: 'POST',
      headers: {
        'idempotency-key': key,
        ...(body === noBody ? {} : { 'content-type': 'application/json' }),
        ...(audience === undefined
          ? { authorization: `Bearer ${account.liveKey}` }
          : { cookie: owner.cookie, 'postrider-csrf': owner.csrfToken }),
      },
      body: body === noBody ? '' : JSON.stringify(examples?.body),
    });

  it('repeats the first response', async () => {
    for (const route of routeTable.filter(takesIdempotencyKey)) {
      const key = randomUUID();
      const [first, second] = [await send(route, key), await send(route, key)];
      expect([second.status, second.headers['idempotent-replayed']], route.path).to.deep.equal([
        first.status,
        'true',
      ]);
    }
  });
});
