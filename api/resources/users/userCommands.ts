import type { CommandRunner, Decision } from '../../../shared/commands/commandRunner.js';
import { createSignInLink } from '../../../shared/domain/accounts/signInLink.js';
import {
  evolveUsers,
  isLastOwner,
  maximumUsers,
  type AccountUsers,
  type Role,
  type User,
  type UserChanged,
  type UserFact,
  type UserSettings,
} from '../../../shared/domain/accounts/user.js';
import { changesOf, type Update } from '../../../shared/domain/core/changes.js';
import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { accountRecordContext, readAccount } from '../../authentication/callerAccount.js';
import { apiError, missingResource, type ApiError } from '../../http/apiError.js';
import type { Caller } from '../../http/context.js';

export interface Invitation {
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
}

export type UserUpdate = Update<UserSettings & { readonly newLink: true }>;

/** A user, and the token of a new sign-in link. The API shows the token once, and stores only its hash. */
export interface UserWithToken {
  readonly user: User;
  readonly token: string | null;
}

type CommandResult<Result> = Promise<Result | ApiError>;

/**
 * Commands on the users of an account. Commands of one account run one at a time. A command on users takes effect
 * within a second.
 */
export interface UserCommands {
  invite: (caller: Caller, invitation: Invitation, identity: RequestIdentity) => CommandResult<UserWithToken>;
  update: (
    caller: Caller,
    id: string,
    update: UserUpdate,
    identity: RequestIdentity,
  ) => CommandResult<UserWithToken>;
  remove: (caller: Caller, id: string, identity: RequestIdentity) => CommandResult<{ readonly id: string }>;
}

export interface UserCommandDependencies {
  readonly runner: CommandRunner;
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
}

export function createUserCommands({ runner, accounts }: UserCommandDependencies): UserCommands {
  const run = <Result>(
    { accountId }: Caller,
    decide: (account: AccountUsers) => Decision<Result | ApiError>,
  ): Promise<Result | ApiError> =>
    runner.run({
      accountId,
      topic: 'accounts',
      decide: async () => decide(await readAccount(accounts, accountId)),
    });

  const change = <Result>(
    caller: Caller,
    id: string,
    decide: (account: AccountUsers, user: User) => Decision<Result | ApiError>,
  ) =>
    run<Result>(caller, (account) => {
      const user = account.users.find((known) => known.id === id);
      return user === undefined ? rejected(missingResource('user', id)) : decide(account, user);
    });

  return {
    invite: (caller, invitation, identity) =>
      run<UserWithToken>(caller, (account) => decideToInvite(account, invitation, { caller, identity })),
    update: (caller, id, update, identity) =>
      change<UserWithToken>(caller, id, (account, user) =>
        decideToUpdate(account, user, update, { caller, identity }),
      ),
    remove: (caller, id, identity) =>
      change<{ id: string }>(caller, id, (account, user) => {
        if (isLastOwner(account, user)) {
          return rejected(lastOwner);
        }
        const value = { userId: id, email: user.email, actor: caller.actor };
        const fact: UserFact = { type: 'postrider.user.deleted', value };
        return { records: changed(account, fact, { caller, identity }).records, result: { id } };
      }),
  };
}

interface ChangeContext {
  readonly caller: Caller;
  readonly identity: RequestIdentity;
}

function decideToInvite(
  account: AccountUsers,
  invitation: Invitation,
  context: ChangeContext,
): Decision<UserWithToken | ApiError> {
  const { caller, identity } = context;
  const id = identity.id('usr');
  const { token, link } = createSignInLink(identity.secret(), null, identity.created);
  const known = account.users.find((user) => user.id === id);
  if (known !== undefined) {
    return { records: [], result: { user: known, token } };
  }
  if (account.deletedUsers.includes(id)) {
    return rejected(missingResource('user', id));
  }
  if (account.users.some(({ email }) => email === invitation.email)) {
    return rejected(userExists);
  }
  if (account.users.length >= maximumUsers) {
    return rejected(tooMany);
  }
  const value = { ...invitation, userId: id, link, actor: caller.actor };
  const { records, after } = changed(account, { type: 'postrider.user.invited', value }, context);
  return { records, result: { user: userIn(after, id), token } };
}

function decideToUpdate(
  account: AccountUsers,
  user: User,
  update: UserUpdate,
  context: ChangeContext,
): Decision<UserWithToken | ApiError> {
  const { caller, identity } = context;
  const { role, name } = user;
  const changes = changesOf<UserSettings>({ role, name }, update);
  if (changes.role !== undefined && isLastOwner(account, user)) {
    return rejected(lastOwner);
  }
  const issued =
    update.newLink === true ? createSignInLink(identity.secret(), user, identity.created) : noLink;
  if (issued.link === null && Object.keys(changes).length === 0) {
    return { records: [], result: { user, token: null } };
  }
  const value: UserChanged = {
    userId: user.id,
    changes,
    link: issued.link,
    actor: caller.actor,
  };
  const { records, after } = changed(account, { type: 'postrider.user.changed', value }, context);
  return { records, result: { user: userIn(after, user.id), token: issued.token } };
}

const noLink = { token: null, link: null };

/** The record of a fact, and the users after the projection has applied it. */
function changed(account: AccountUsers, fact: UserFact, { caller, identity }: ChangeContext) {
  const context = accountRecordContext(caller.accountId, identity);
  return {
    records: [accountRecords.encode(fact, context)],
    after: evolveUsers(account, { ...fact, context }),
  };
}

function userIn({ users }: AccountUsers, id: string): User {
  const user = users.find((known) => known.id === id);
  if (user === undefined) {
    throw new Error('the fold of a change has removed the user');
  }
  return user;
}

function rejected(result: ApiError): Decision<ApiError> {
  return { records: [], result };
}

const userExists = apiError(
  'user_exists',
  'Another user of the account has the same email address. Change that user, or create a ' +
    'new sign-in link for that user.',
  { param: 'email' },
);
const lastOwner = apiError(
  'last_owner',
  'The user is the last owner who can sign in. Make another user an owner first.',
);
const tooMany = apiError(
  'parameter_invalid',
  `An account has at most ${String(maximumUsers)} users. Delete a user first.`,
);
