import { createHash } from 'node:crypto';
import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createApiKeys } from '../../api/apiKeys.js';
import { UnavailableError } from '../../shared/errors.js';
import type { AccountDocument } from '../../shared/mongo/documents.js';
import type { MetaDocument } from '../../shared/mongo/generations.js';
import type { ModelAnswer } from '../../shared/mongo/readModels.js';

/** No time passes. */
const atOnce = () => 0;

const secret = 'sk_live_known';
const hash = createHash('sha256').update(secret).digest('hex');

const account: AccountDocument = {
  _id: 'acct_1',
  name: 'Test',
  email: 'test@example.com',
  plan: 'free',
  requestsPerSecond: 10,
  created: new Date(0),
  isSuspended: false,
  suspensions: 0,
  apiKeys: [
    {
      id: 'key_1',
      name: 'first',
      mode: 'live',
      scopes: null,
      expiresAt: null,
      hash,
      prefix: 'sk_live_',
      last4: 'nown',
      created: new Date(0),
    },
  ],
  deletedApiKeys: [],
  users: [],
  deletedUsers: [],
  positions: {},
  recordIds: [],
};

/** A model that holds these accounts, and counts how often it was asked. */
function accountsModel(documents: readonly AccountDocument[], complete = true) {
  const meta: MetaDocument = { _id: 'meta', version: 1, complete, positions: {}, target: {} };
  const answer: ModelAnswer<AccountDocument> = { documents, meta };
  const model = {
    reads: 0,
    answer,
    findAll: async () => {
      model.reads += 1;
      await endOfTurn();
      return model.answer;
    },
  };
  return model;
}

describe('api/apiKeys', () => {
  it('knows whose a key is', async () => {
    expect(await createApiKeys(accountsModel([account]), atOnce).find(secret)).to.deep.equal({
      accountId: 'acct_1',
      keyId: 'key_1',
      mode: 'live',
      plan: 'free',
      requestsPerSecond: 10,
      scopes: null,
      isSuspended: false,
      expiresAt: null,
      actor: { type: 'api_key', id: 'key_1', name: 'first' },
      session: null,
    });
  });

  it('finds nobody for a key that no account has', async () => {
    expect(await createApiKeys(accountsModel([]), atOnce).find(secret)).to.equal(null);
  });

  for (const documents of [[], [account]]) {
    it(`says nothing while the accounts are not complete, with ${documents.length} found`, async () => {
      const failure: unknown = await createApiKeys(accountsModel(documents, false), atOnce)
        .find(secret)
        .catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(UnavailableError);
    });
  }

  it('reads once for all who ask for a key at the same time', async () => {
    const model = accountsModel([account]);
    const apiKeys = createApiKeys(model, atOnce);
    await Promise.all([apiKeys.find(secret), apiKeys.find(secret), apiKeys.find(secret)]);
    expect(model.reads).to.equal(1);
  });

  it('reads again after a failure', async () => {
    const model = accountsModel([account], false);
    const apiKeys = createApiKeys(model, atOnce);
    await apiKeys.find(secret).catch(() => null);
    model.answer = accountsModel([account]).answer;
    expect((await apiKeys.find(secret))?.accountId).to.equal('acct_1');
  });

  const times: readonly [
    what: string,
    before: readonly AccountDocument[],
    afterMs: number,
    isFound: boolean,
  ][] = [
    ['still takes a deleted key after 499 ms', [account], 499, true],
    ['forgets a deleted key after 500 ms', [account], 500, false],
    ['still refuses a new key that somebody tried 199 ms ago', [], 199, false],
    ['finds a new key that somebody tried 200 ms ago', [], 200, true],
  ];
  for (const [what, before, afterMs, isFound] of times) {
    it(what, async () => {
      let elapsedMs = 1000;
      const model = accountsModel(before);
      const apiKeys = createApiKeys(model, () => elapsedMs);
      await apiKeys.find(secret);
      elapsedMs += afterMs;
      model.answer = accountsModel(before.length === 0 ? [account] : []).answer;
      expect((await apiKeys.find(secret)) !== null).to.equal(isFound);
    });
  }

  it('keeps no more than 10,000 keys in mind, the newest', async () => {
    const model = accountsModel([]);
    const apiKeys = createApiKeys(model, atOnce);
    for (let number = 0; number <= 10_000; number += 1) {
      await apiKeys.find(`sk_live_${number}`);
    }
    await apiKeys.find('sk_live_1');
    await apiKeys.find('sk_live_0');
    expect(model.reads).to.equal(10_002);
  });
});
