import { randomBytes } from 'node:crypto';

import type { AccountFact, PlanTerms, Scope } from '../../../shared/domain/account.js';
import { apiKeySecret, apiKeySecretBytes, traceOfSecret } from '../../../shared/domain/apiKey.js';
import type { Mode } from '../../../shared/domain/fact.js';
import { createIdentifiers } from '../../../shared/domain/identifiers.js';
import { createRandom } from '../../../shared/random.js';
import { accountRecords } from '../../../shared/topics/accounts.js';
import { sharedService, type TestService } from '../../support/service.js';
import { createClient, type Client } from './client.js';

/** An account of the shared service, and clients with its two full keys. */
export interface TestAccount {
  readonly service: TestService;
  readonly id: string;
  readonly liveKey: string;
  readonly testKey: string;
  readonly live: Client;
  readonly test: Client;
}

export async function openAccount(given?: TestService, terms?: PlanTerms): Promise<TestAccount> {
  const service = given ?? (await sharedService());
  const { id, liveKey, testKey } = await service.createAccount(terms);
  return {
    service,
    id,
    liveKey,
    testKey,
    live: createClient(service.address, liveKey),
    test: createClient(service.address, testKey),
  };
}

const identifiers = createIdentifiers(createRandom());
const actor = { type: 'operator', id: null, name: 'test' } as const;

/** Appends what has happened to an account, and returns once the model knows it. */
export async function appendToAccount(
  { service, id: accountId }: TestAccount,
  fact: AccountFact,
): Promise<void> {
  const at = new Date();
  const context = { id: identifiers.createRecordId(at), key: accountId, accountId, mode: null, at };
  const records = [accountRecords.encode(fact, context)];
  await service.withStores(({ commands }) =>
    commands.run({ accountId, topic: 'accounts', decide: () => Promise.resolve({ records, result: null }) }),
  );
}

/** Gives an account one more key, an expired one too, and returns the key's id and secret once it can be used. */
export async function addApiKey(
  account: TestAccount,
  key: { mode: Mode; scopes?: readonly Scope[]; expiresAt?: Date },
): Promise<{ id: string; secret: string }> {
  const keyId = identifiers.create('key', new Date());
  const secret = apiKeySecret(key.mode, randomBytes(apiKeySecretBytes));
  await appendToAccount(account, {
    type: 'postrider.api-key.created',
    value: {
      keyId,
      name: 'added',
      mode: key.mode,
      scopes: key.scopes ?? null,
      expiresAt: key.expiresAt ?? null,
      ...traceOfSecret(key.mode, secret),
      actor,
    },
  });
  return { id: keyId, secret };
}

/** Deletes a live key, and returns once the model knows it. */
export function deleteApiKey(account: TestAccount, keyId: string): Promise<void> {
  const value = { keyId, name: 'added', mode: 'live', actor } as const;
  return appendToAccount(account, { type: 'postrider.api-key.deleted', value });
}

export function suspendAccount(account: TestAccount): Promise<void> {
  return appendToAccount(account, { type: 'postrider.account.suspended', value: { actor } });
}
