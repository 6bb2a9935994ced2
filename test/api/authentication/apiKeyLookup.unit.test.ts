import { createHash } from 'node:crypto';
import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import {
  createApiKeyLookup,
  createFailedKeyLimit,
  type ApiKeyLookupDependencies,
} from '../../../api/authentication/apiKeyLookup.js';
import { isApiError } from '../../../api/http/apiError.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type {
  AccountDocument,
  TenantApiKeyDocument,
  TenantDocument,
} from '../../../shared/store/models/documents.js';
import type { MetaDocument } from '../../../shared/store/models/generations.js';
import type { ModelAnswer } from '../../../shared/store/models/readModels.js';

/** No time passes. */
const atOnce = () => 0;
const network = () => '192.0.2.1';

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

/** A model of these accounts that counts its reads. */
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
    findByIds: () => Promise.resolve(model.answer),
  };
  return model;
}

function answerOf<Model>(documents: readonly Model[], complete = true): () => Promise<ModelAnswer<Model>> {
  const meta: MetaDocument = { _id: 'meta', version: 1, complete, positions: {}, target: {} };
  return () => Promise.resolve({ documents, meta });
}

const tenantKey: TenantApiKeyDocument = {
  ...{ _id: 'key_2', accountId: 'acct_1', mode: 'live', tenantId: 'customer-42', lifeId: 'life-1' },
  ...{ keyStatus: 'active', name: 'backend', expiresAt: null, created: new Date(0) },
  ...{ hash, prefix: 'sk_live_', last4: 'nown', positions: {}, recordIds: [] },
};

const tenant: TenantDocument = {
  ...{ _id: 'acct_1/live/customer-42', accountId: 'acct_1', mode: 'live', tenantId: 'customer-42' },
  ...{ status: 'active', name: null, metadata: [], created: new Date(0), lifeId: 'life-1', revocations: 0 },
  ...{ eventsFrom: [3], ended: [], positions: {}, recordIds: [] },
};

interface TenantsOfKeys {
  readonly keys?: readonly TenantApiKeyDocument[];
  readonly tenants?: readonly TenantDocument[];
  readonly isComplete?: boolean;
}

function apiKeysOf(
  accounts: ApiKeyLookupDependencies['accounts'],
  elapsedMs: () => number,
  { keys = [], tenants = [tenant], isComplete = true }: TenantsOfKeys = {},
) {
  return createApiKeyLookup({
    ...{ accounts, elapsedMs, failedKeyLimit: createFailedKeyLimit(elapsedMs) },
    tenants: { findByIds: answerOf(tenants, isComplete) },
    tenantApiKeys: { findAll: answerOf(keys, isComplete) },
  });
}

/** The lookup of the key of a tenant. The model of accounts has the account, but no account with the key. */
function tenantKeysOf(given: TenantsOfKeys, found: AccountDocument = account) {
  const accounts = { findAll: answerOf<AccountDocument>([]), findByIds: answerOf([found]) };
  return apiKeysOf(accounts, atOnce, { keys: [tenantKey], ...given });
}

describe('the lookup of an API key', () => {
  it('finds the account of a key', async () => {
    expect(await apiKeysOf(accountsModel([account]), atOnce).find(secret, network)).to.deep.equal({
      accountId: 'acct_1',
      keyId: 'key_1',
      isUsed: false,
      mode: 'live',
      plan: 'free',
      requestsPerSecond: 10,
      scopes: null,
      isSuspended: false,
      expiresAt: null,
      actor: { type: 'api_key', id: 'key_1', name: 'first' },
      session: null,
      tenant: null,
    });
  });

  it('finds the tenant of a key of a tenant, on any plan', async () => {
    expect(await tenantKeysOf({}).find(secret, network)).to.deep.equal({
      ...{ accountId: 'acct_1', keyId: 'key_2', isUsed: false, mode: 'live', plan: 'free' },
      ...{ requestsPerSecond: 10, isSuspended: false, expiresAt: null, session: null },
      scopes: ['webhooks:read', 'webhooks:write', 'events:read', 'events:write', 'event-types:read'],
      actor: { type: 'api_key', id: 'key_2', name: 'backend' },
      tenant: { tenantId: 'customer-42', lifeId: 'life-1', eventsFrom: [3], credential: 'api-key' },
    });
  });

  const ended: Readonly<Record<string, [TenantsOfKeys, AccountDocument?]>> = {
    'a deleted tenant': [{ tenants: [{ ...tenant, status: 'deleted' }] }],
    'another life of the tenant': [{ tenants: [{ ...tenant, lifeId: 'life-2' }] }],
    'a tenant that does not exist': [{ tenants: [] }],
    'a deleted account': [
      {},
      { _id: 'acct_1', isDeleted: true, deletedAt: new Date(0), positions: {}, recordIds: [] },
    ],
  };
  for (const [what, given] of Object.entries(ended)) {
    it(`rejects the key of ${what}`, async () => {
      expect(await tenantKeysOf(...given).find(secret, network)).to.equal(null);
    });
  }

  it('fails while the model of tenants is incomplete, because it may lack the key', async () => {
    const failure: unknown = await apiKeysOf(accountsModel([]), atOnce, { isComplete: false })
      .find(secret, network)
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(UnavailableError);
  });

  it('finds no account for an unknown key', async () => {
    expect(await apiKeysOf(accountsModel([]), atOnce).find(secret, network)).to.equal(null);
  });

  for (const documents of [[], [account]]) {
    it(`fails while the model of accounts is incomplete, with ${documents.length} accounts found`, async () => {
      const failure: unknown = await apiKeysOf(accountsModel(documents, false), atOnce)
        .find(secret, network)
        .catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(UnavailableError);
    });
  }

  it('reads the model once for concurrent lookups of a key', async () => {
    const model = accountsModel([account]);
    const apiKeys = apiKeysOf(model, atOnce);
    await Promise.all([
      apiKeys.find(secret, network),
      apiKeys.find(secret, network),
      apiKeys.find(secret, network),
    ]);
    expect(model.reads).to.equal(1);
  });

  it('reads the model again after a failure', async () => {
    const model = accountsModel([account], false);
    const apiKeys = apiKeysOf(model, atOnce);
    await apiKeys.find(secret, network).catch(() => null);
    model.answer = accountsModel([account]).answer;
    expect(await apiKeys.find(secret, network)).to.include({ accountId: 'acct_1' });
  });

  const times: readonly [
    what: string,
    before: readonly AccountDocument[],
    afterMs: number,
    isFound: boolean,
  ][] = [
    ['accepts a deleted key for 499 ms', [account], 499, true],
    ['rejects a deleted key after 500 ms', [account], 500, false],
    ['rejects a new key that a client tried 199 ms before', [], 199, false],
    ['accepts a new key that a client tried 200 ms before', [], 200, true],
  ];
  for (const [what, before, afterMs, isFound] of times) {
    it(what, async () => {
      let elapsedMs = 1000;
      const model = accountsModel(before);
      const apiKeys = apiKeysOf(model, () => elapsedMs);
      await apiKeys.find(secret, network);
      elapsedMs += afterMs;
      model.answer = accountsModel(before.length === 0 ? [account] : []).answer;
      expect((await apiKeys.find(secret, network)) !== null).to.equal(isFound);
    });
  }

  it('caches the 10,000 newest keys', async () => {
    const model = accountsModel([]);
    const apiKeys = apiKeysOf(model, atOnce);
    for (let number = 0; number <= 10_000; number += 1) {
      await apiKeys.find(`sk_live_${number}`, () => `network ${number}`);
    }
    await apiKeys.find('sk_live_1', network);
    await apiKeys.find('sk_live_0', network);
    expect(model.reads).to.equal(10_002);
  });

  describe('while a network sends unknown keys', () => {
    let model: ReturnType<typeof accountsModel>;
    let apiKeys: ReturnType<typeof apiKeysOf>;
    let outcomes: readonly Awaited<ReturnType<ReturnType<typeof apiKeysOf>['find']>>[];
    let elapsedMs: number;
    beforeEach(async () => {
      elapsedMs = 1000;
      model = accountsModel([account]);
      apiKeys = apiKeysOf(model, () => elapsedMs);
      await apiKeys.find(secret, network);
      elapsedMs = 60_000;
      const others = Array.from({ length: 1000 }, (_, number) => apiKeys.find(`sk_live_${number}`, network));
      outcomes = await Promise.all(others);
    });

    it('looks up 100 of them, and rejects the others', () => {
      const refused = outcomes.filter((outcome) => outcome !== null && isApiError(outcome));
      expect([model.reads, refused.length]).to.deep.equal([101, 900]);
    });

    it('states when the network may try again', () => {
      expect(outcomes.at(-1)).to.deep.include({
        errorCode: 'rate_limit_exceeded',
        headers: { 'Retry-After': '10' },
      });
    });

    it('accepts a cached key from the same network', async () => {
      expect(await apiKeys.find(secret, network)).to.include({ accountId: 'acct_1' });
    });

    it('looks up an uncached key from another network', async () => {
      expect(await apiKeys.find('sk_live_other', () => '192.0.2.2')).to.equal(null);
    });
  });
});
