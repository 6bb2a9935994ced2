import { randomBytes } from 'node:crypto';

import type { AccountFact, PlanTerms } from '../shared/domain/account.js';
import { apiKeySecret, apiKeySecretBytes, traceOfSecret } from '../shared/domain/apiKey.js';
import type { Mode } from '../shared/domain/fact.js';
import { createIdentifiers } from '../shared/domain/identifiers.js';
import type { CommandRunner } from '../shared/commandRunner.js';
import { createRandom } from '../shared/random.js';
import { accountRecords } from '../shared/topics/accounts.js';
import { operator } from './operator.js';

export interface NewAccount extends PlanTerms {
  readonly name: string;
  readonly email: string;
}

/** What is shown once: of the keys only hashes are kept. */
export interface CreatedAccount {
  readonly id: string;
  readonly liveKey: string;
  readonly testKey: string;
  /** A one-time link into the dashboard; null while there is no dashboard. */
  readonly signInUrl: string | null;
}

/** Creates an account with a full live key and a full test key, and returns once they can be used. */
export async function createAccount(
  commands: CommandRunner,
  account: NewAccount,
  at: Date,
): Promise<CreatedAccount> {
  const identifiers = createIdentifiers(createRandom());
  const id = identifiers.create('acct', at);
  const live = createKey('live', identifiers.create('key', at));
  const test = createKey('test', identifiers.create('key', at));
  const facts: readonly [mode: Mode | null, fact: AccountFact][] = [
    [null, { type: 'postrider.account.created', value: { ...account, actor: operator } }],
    [null, live.fact],
    [null, test.fact],
  ];
  const records = facts.map(([mode, fact]) =>
    accountRecords.encode(fact, { id: identifiers.createRecordId(at), key: id, accountId: id, mode, at }),
  );
  return commands.run({
    accountId: id,
    topic: 'accounts',
    decide: () =>
      Promise.resolve({
        records,
        result: { id, liveKey: live.secret, testKey: test.secret, signInUrl: null },
      }),
  });
}

function createKey(mode: Mode, keyId: string): { secret: string; fact: AccountFact } {
  const secret = apiKeySecret(mode, randomBytes(apiKeySecretBytes));
  return {
    secret,
    fact: {
      type: 'postrider.api-key.created',
      value: {
        keyId,
        name: `First ${mode} key`,
        mode,
        scopes: null,
        expiresAt: null,
        ...traceOfSecret(mode, secret),
        actor: operator,
      },
    },
  };
}
