import { randomBytes } from 'node:crypto';

import type { AccountFact, PlanTerms } from '../../shared/domain/accounts/account.js';
import { apiKeySecret, apiKeySecretBytes, traceOfSecret } from '../../shared/domain/accounts/apiKey.js';
import type { Actor, Mode } from '../../shared/domain/core/fact.js';
import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import { createSignInLink, signInTokenBytes } from '../../shared/domain/accounts/signInLink.js';
import { normalizeEmail, type UserInvited } from '../../shared/domain/accounts/user.js';
import type { Command, CommandRunner } from '../../shared/commands/commandRunner.js';
import { createRandom } from '../../shared/core/random.js';
import { accountRecords } from '../../shared/log/records/accounts.js';
import { program } from '../environment/operator.js';

export interface NewAccount extends PlanTerms {
  readonly name: string;
  readonly email: string;
}

/** The secrets of a new account. The command shows the secrets once, because the log stores only their hashes. */
export interface CreatedAccount {
  readonly id: string;
  readonly liveKey: string;
  readonly testKey: string;
  /** The token of a one-time link with which the first owner signs in to the dashboard. */
  readonly signInToken: string;
}

/** Creates an account with a full live key, a full test key and its first owner, and returns when they can be used. */
export function createAccount(
  commands: Pick<CommandRunner, 'run'>,
  account: NewAccount,
  at: Date,
): Promise<CreatedAccount> {
  return commands.run(accountCreation(account, at, program));
}

/** The command that creates an account with a full live key, a full test key and its first owner. */
export function accountCreation(account: NewAccount, at: Date, actor: Actor): Command<CreatedAccount> {
  const identifiers = createIdentifiers(createRandom());
  const id = identifiers.create('acct', at);
  const live = createKey('live', identifiers.create('key', at), actor);
  const test = createKey('test', identifiers.create('key', at), actor);
  const { token, link } = createSignInLink(randomBytes(signInTokenBytes), null, at);
  const owner: UserInvited = {
    userId: identifiers.create('usr', at),
    email: normalizeEmail(account.email),
    name: null,
    role: 'owner',
    link,
    actor,
  };
  const facts: readonly [mode: Mode | null, fact: AccountFact][] = [
    [null, { type: 'postrider.account.created', value: { ...account, actor } }],
    [null, live.fact],
    [null, test.fact],
    [null, { type: 'postrider.user.invited', value: owner }],
  ];
  const records = facts.map(([mode, fact]) =>
    accountRecords.encode(fact, { id: identifiers.createRecordId(at), key: id, accountId: id, mode, at }),
  );
  const result = { id, liveKey: live.secret, testKey: test.secret, signInToken: token };
  return {
    accountId: id,
    topic: 'accounts',
    createsAccount: true,
    decide: () => Promise.resolve({ records, result }),
  };
}

function createKey(mode: Mode, keyId: string, actor: Actor): { secret: string; fact: AccountFact } {
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
        actor,
      },
    },
  };
}
