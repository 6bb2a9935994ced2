import { randomBytes } from 'node:crypto';

import type { Command } from '../../shared/commands/commandRunner.js';
import { createRandom } from '../../shared/core/random.js';
import type { AccountFact } from '../../shared/domain/accounts/account.js';
import { createSignInLink, signInTokenBytes } from '../../shared/domain/accounts/signInLink.js';
import { normalizeEmail, type AccountUsers } from '../../shared/domain/accounts/user.js';
import type { Actor } from '../../shared/domain/core/fact.js';
import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import { CommandFailure } from '../terminal/output.js';
import { accountChange, type AccountStores } from './changeAccount.js';

/**
 * The command that creates a one-time link for a user of an account. Its result is the link's token. The link replaces
 * any earlier link of the user. If the account has no users, the link creates its first owner.
 * @throws CommandFailure, here or in the command, if the account does not exist, or has users but none with this email
 * address
 */
export function signInLinkRenewal(
  { models, operator }: Pick<AccountStores, 'models' | 'operator'>,
  accountId: string,
  email: string,
  at: Date,
): Command<string> {
  return accountChange({ models }, accountId, (account) => {
    const { token, fact } = linkFor(account, { email: normalizeEmail(email), at, actor: operator });
    return { fact, result: token };
  });
}

function linkFor(
  { users }: Pick<AccountUsers, 'users'>,
  { email, at, actor }: { readonly email: string; readonly at: Date; readonly actor: Actor },
): { readonly token: string; readonly fact: AccountFact } {
  const user = users.find((known) => known.email === email) ?? null;
  if (user === null && users.length > 0) {
    throw new CommandFailure(
      `No user of this account has the address ${email}. An owner of the account can invite the user.`,
    );
  }
  const { token, link } = createSignInLink(randomBytes(signInTokenBytes), user, at);
  if (user !== null) {
    const value = { userId: user.id, changes: {}, link, actor };
    return { token, fact: { type: 'postrider.user.changed', value } };
  }
  const userId = createIdentifiers(createRandom()).create('usr', at);
  const value = { userId, email, name: null, role: 'owner', link, actor } as const;
  return { token, fact: { type: 'postrider.user.invited', value } };
}
