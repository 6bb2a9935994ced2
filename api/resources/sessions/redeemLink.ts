import type { CommandRunner } from '../../../shared/commands/commandRunner.js';
import { hashOfToken, userOfLink } from '../../../shared/domain/accounts/signInLink.js';
import {
  evolveUsers,
  statusOf,
  type User,
  type UserFact,
  type UserJoined,
} from '../../../shared/domain/accounts/user.js';
import { changesOf } from '../../../shared/domain/core/changes.js';
import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import type { AccountDocument, LiveAccountDocument } from '../../../shared/store/models/documents.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { accountRecordContext } from '../../authentication/callerAccount.js';
import { membersWith, type Member } from '../../authentication/credentials.js';
import { completeDocuments } from '../../http/completeDocuments.js';

export interface LinkRedemption {
  readonly token: string;
  readonly name?: string | undefined;
  readonly passwordHash: string;
}

export interface LinkRedemptions {
  /** The owner of a valid link, or null if the link is not valid. */
  find: (token: string, now: Date) => Promise<Member | null>;
  /** The password hash of another member with the user's email address, or null if no such member has a password. */
  siblingHash: (user: User) => Promise<string | null>;
  /** Redeems a link, and returns the updated user, or null if the link is no longer valid. */
  use: (accountId: string, use: LinkRedemption, identity: RequestIdentity) => Promise<Member | null>;
}

export interface LinkRedemptionDependencies {
  readonly runner: CommandRunner;
  readonly accounts: Pick<ReadModels['accounts'], 'findAll' | 'findByIds'>;
}

export function createLinkRedemptions({ runner, accounts }: LinkRedemptionDependencies): LinkRedemptions {
  return {
    find: async (token, now) => {
      const hash = hashOfToken(token);
      const [account] = completeDocuments(await accounts.findAll({ 'users.link.hash': hash }));
      return memberOf(account, hash, now);
    },
    siblingHash: async ({ id, email }) => {
      const others = (await membersWith(accounts, email)).filter(({ user }) => user.id !== id);
      return others[0]?.user.password?.hash ?? null;
    },
    use: (accountId, use, identity) =>
      runner.run<Member | null>({
        accountId,
        topic: 'accounts',
        decide: async () => {
          const [account] = completeDocuments(await accounts.findByIds(accountId, [accountId]));
          const linkHash = hashOfToken(use.token);
          const member = memberOf(account, linkHash, identity.created);
          return member === null
            ? { records: [], result: null }
            : joinRecord(member.account, joinedBy(member.user, use, linkHash), identity);
        },
      }),
  };
}

function memberOf(account: AccountDocument | undefined, linkHash: string, now: Date): Member | null {
  if (account === undefined || account.isDeleted === true) {
    return null;
  }
  const user = userOfLink(account, linkHash, now);
  return user === null ? null : { account, user };
}

function joinedBy(user: User, { name, passwordHash }: LinkRedemption, linkHash: string): UserJoined {
  const before = { status: statusOf(user), name: user.name };
  const after = { status: 'active', name: name ?? user.name } as const;
  return {
    userId: user.id,
    linkHash,
    passwordHash,
    changes: changesOf(before, after),
    actor: { type: 'user', id: user.id, name: after.name },
  };
}

function joinRecord(account: LiveAccountDocument, value: UserJoined, identity: RequestIdentity) {
  const context = accountRecordContext(account._id, identity);
  const fact: UserFact = { type: 'postrider.user.joined', value };
  const after = { ...account, ...evolveUsers(account, { ...fact, context }) };
  const user = after.users.find(({ id }) => id === value.userId);
  if (user === undefined) {
    throw new Error('the fold of a redeemed link has removed the user');
  }
  return { records: [accountRecords.encode(fact, context)], result: { account: after, user } };
}
