import { createHash, randomBytes } from 'node:crypto';

import type { Scope } from '../../../shared/domain/account.js';
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
  readonly live: Client;
  readonly test: Client;
}

export async function openAccount(given?: TestService): Promise<TestAccount> {
  const service = given ?? (await sharedService());
  const { id, liveKey, testKey } = await service.createAccount();
  return {
    service,
    id,
    liveKey,
    live: createClient(service.address, liveKey),
    test: createClient(service.address, testKey),
  };
}

const identifiers = createIdentifiers(createRandom());
const actor = { type: 'operator', id: null, name: 'test' } as const;

/** Gives an account one more key, and returns the key's id and secret once it can be used. */
export async function addApiKey(
  { service, id: accountId }: TestAccount,
  key: { mode: Mode; scopes?: readonly Scope[]; expiresAt?: Date },
): Promise<{ id: string; secret: string }> {
  const at = new Date();
  const keyId = identifiers.create('key', at);
  const prefix = `sk_${key.mode}_`;
  const secret = `${prefix}${randomBytes(32).toString('base64url')}`;
  const value = {
    keyId,
    name: 'added',
    mode: key.mode,
    scopes: key.scopes ?? null,
    expiresAt: key.expiresAt ?? null,
    hash: createHash('sha256').update(secret).digest('hex'),
    prefix,
    last4: secret.slice(-4),
    actor,
  };
  const context = { id: identifiers.createRecordId(at), key: accountId, accountId, mode: null, at };
  const records = [accountRecords.encode({ type: 'postrider.api-key.created', value }, context)];
  await service.withStores(({ commands }) =>
    commands.run({ accountId, topic: 'accounts', decide: () => Promise.resolve({ records, result: null }) }),
  );
  return { id: keyId, secret };
}

/** Deletes a key, and returns once the model knows it. */
export async function deleteApiKey({ service, id: accountId }: TestAccount, keyId: string): Promise<void> {
  const at = new Date();
  const context = { id: identifiers.createRecordId(at), key: accountId, accountId, mode: null, at };
  const records = [
    accountRecords.encode({ type: 'postrider.api-key.deleted', value: { keyId, actor } }, context),
  ];
  await service.withStores(({ commands }) =>
    commands.run({ accountId, topic: 'accounts', decide: () => Promise.resolve({ records, result: null }) }),
  );
}
