import { randomBytes } from 'node:crypto';

import { createRandom } from '../../../shared/core/random.js';
import type { AccountFact, PlanTerms, Scope } from '../../../shared/domain/accounts/account.js';
import { apiKeySecret, apiKeySecretBytes, traceOfSecret } from '../../../shared/domain/accounts/apiKey.js';
import type { Mode } from '../../../shared/domain/core/fact.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import { sharedService, type SharedService } from '../../support/service.js';
import { createClient, type Client } from './client.js';

/** An account of the shared service, and clients with its two full keys. */
export interface TestAccount {
  readonly service: SharedService;
  readonly id: string;
  readonly liveKey: string;
  readonly testKey: string;
  /** The token of the link with which the first owner signs in. */
  readonly signInToken: string;
  readonly live: Client;
  readonly test: Client;
}

export async function openAccount(given?: SharedService, terms?: PlanTerms): Promise<TestAccount> {
  const service = given ?? (await sharedService());
  const { id, liveKey, testKey, signInToken } = await service.createAccount(terms);
  return {
    service,
    id,
    liveKey,
    testKey,
    signInToken,
    live: createClient(service.address, liveKey),
    test: createClient(service.address, testKey),
  };
}

const identifiers = createIdentifiers(createRandom());
const actor = { type: 'operator', id: null, name: 'test' } as const;

/** Appends facts about an account together, and returns once the model contains them. */
export async function appendToAccount(
  { service, id: accountId }: TestAccount,
  ...facts: readonly AccountFact[]
): Promise<void> {
  const at = new Date();
  const records = facts.map((fact) => {
    const context = { id: identifiers.createRecordId(at), key: accountId, accountId, mode: null, at };
    return accountRecords.encode(fact, context);
  });
  await service.withStores(({ commands }) =>
    commands.run({ accountId, topic: 'accounts', decide: () => Promise.resolve({ records, result: null }) }),
  );
}

interface AddedApiKey {
  readonly mode: Mode;
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: Date;
}

/** Adds keys to an account, also expired ones, and returns their ids and secrets once the keys work. */
export async function addApiKeys(
  account: TestAccount,
  added: readonly AddedApiKey[],
): Promise<readonly { readonly id: string; readonly secret: string }[]> {
  const made = added.map((key) => ({
    ...key,
    id: identifiers.create('key', new Date()),
    secret: apiKeySecret(key.mode, randomBytes(apiKeySecretBytes)),
  }));
  const facts = made.map(({ id: keyId, secret, mode, scopes = null, expiresAt = null }): AccountFact => ({
    type: 'postrider.api-key.created',
    value: { keyId, name: 'added', mode, scopes, expiresAt, ...traceOfSecret(mode, secret), actor },
  }));
  await appendToAccount(account, ...facts);
  return made;
}

export async function addApiKey(account: TestAccount, key: AddedApiKey) {
  const [added] = await addApiKeys(account, [key]);
  return added ?? { id: '', secret: '' };
}

/** Deletes a live key, and returns once the model contains the deletion. */
export function deleteApiKey(account: TestAccount, keyId: string): Promise<void> {
  const value = { keyId, name: 'added', mode: 'live', actor } as const;
  return appendToAccount(account, { type: 'postrider.api-key.deleted', value });
}

export function suspendAccount(account: TestAccount): Promise<void> {
  return appendToAccount(account, { type: 'postrider.account.suspended', value: { actor } });
}
