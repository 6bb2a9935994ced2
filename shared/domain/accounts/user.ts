import { withChanges, type Changes } from '../core/changes.js';
import type { Actor, RecordContext } from '../core/fact.js';

/**
 * The roles of a user in an account. A viewer reads, a developer also works with events and webhooks, and an owner may
 * do everything.
 */
export const roles = ['owner', 'developer', 'viewer'] as const;

export type Role = (typeof roles)[number];

/** A one-time link with which a user sets a password. */
export interface SignInLink {
  /** SHA-256 of the link's token, in hexadecimal. The token contains 256 random bits. */
  readonly hash: string;
  readonly expiresAt: Date;
}

export interface UserInvited {
  readonly userId: string;
  /** The email address of the user in the form of `normalizeEmail`. */
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly link: SignInLink;
  readonly actor: Actor;
}

/** The use of a sign-in link: an invited user joins, or a user sets a new password. */
export interface UserJoined {
  readonly userId: string;
  /** The hash of the sign-in link, which cannot be used again. */
  readonly linkHash: string;
  readonly passwordHash: string;
  readonly changes: Changes<Pick<User, 'name'> & { readonly status: UserStatus }>;
  readonly actor: Actor;
}

export interface UserChanged {
  readonly userId: string;
  readonly changes: Changes<UserSettings>;
  /** The new sign-in link, which replaces an earlier link of the user; null if the user gets no link. */
  readonly link: SignInLink | null;
  readonly actor: Actor;
}

export interface UserDeleted {
  readonly userId: string;
  readonly email: string;
  readonly actor: Actor;
}

export type UserFact =
  | { readonly type: 'postrider.user.invited'; readonly value: UserInvited }
  | { readonly type: 'postrider.user.joined'; readonly value: UserJoined }
  | { readonly type: 'postrider.user.changed'; readonly value: UserChanged }
  | { readonly type: 'postrider.user.deleted'; readonly value: UserDeleted };

export type UserStatus = 'invited' | 'active';

/** What the log contains of a user's password. */
export interface PasswordTrace {
  readonly hash: string;
  /** The `ce_id` of the record that set the password. A new password ends the sessions of the earlier password. */
  readonly id: string;
}

/** The fields of a user that an owner can change. */
export type UserSettings = Pick<User, 'role' | 'name'>;

export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly created: Date;
  /** The user's password; null until the user accepts the invitation. */
  readonly password: PasswordTrace | null;
  readonly link: SignInLink | null;
}

/** The users of an account. */
export interface AccountUsers {
  readonly users: readonly User[];
  /** The ids of the last deleted users. A duplicate record of an invitation must not restore the deleted user. */
  readonly deletedUsers: readonly string[];
}

export const maximumUsers = 100;

const rememberedDeletions = 1000;

/**
 * The users of an account after another fact. A fact that does not fit the user's state changes nothing, such as a
 * second use of a sign-in link.
 */
export function evolveUsers(
  account: AccountUsers,
  fact: UserFact & { readonly context: RecordContext },
): AccountUsers {
  switch (fact.type) {
    case 'postrider.user.invited':
      return withUser(account, fact.value, fact.context);
    case 'postrider.user.joined':
      return changeUser(account, fact.value.userId, (user) => joined(user, fact.value, fact.context));
    case 'postrider.user.changed':
      return changeUser(account, fact.value.userId, (user) => changed(user, fact.value));
    case 'postrider.user.deleted':
      return withoutUser(account, fact.value.userId);
    default: {
      const never: never = fact;
      return never;
    }
  }
}

function withUser(account: AccountUsers, value: UserInvited, context: RecordContext): AccountUsers {
  const { userId: id, email, name, role, link } = value;
  if (account.users.some((user) => user.id === id) || account.deletedUsers.includes(id)) {
    return account;
  }
  const user: User = { id, email, name, role, created: context.at, password: null, link };
  return { ...account, users: [...account.users, user] };
}

function joined(user: User, value: UserJoined, { id }: RecordContext): User {
  const { linkHash, passwordHash, changes } = value;
  return user.link?.hash === linkHash
    ? { ...withChanges<User>(user, changes), password: { hash: passwordHash, id }, link: null }
    : user;
}

function changed(user: User, { changes, link }: UserChanged): User {
  return { ...withChanges<User>(user, changes), link: link ?? user.link };
}

function changeUser(account: AccountUsers, id: string, change: (user: User) => User): AccountUsers {
  return { ...account, users: account.users.map((user) => (user.id === id ? change(user) : user)) };
}

function withoutUser({ users, deletedUsers }: AccountUsers, id: string): AccountUsers {
  return {
    users: users.filter((user) => user.id !== id),
    deletedUsers: deletedUsers.includes(id)
      ? deletedUsers
      : [...deletedUsers, id].slice(-rememberedDeletions),
  };
}

/** The pattern of an email address: two parts of ASCII without white space. A matching address may still not exist. */
export const emailForm = /^[!-?A-~]+@[!-?A-~]+$/;

/** An email address in lower case. Mail hosts ignore the case, and a user is looked up by the email address. */
export function normalizeEmail(email: string): string {
  return email.toLowerCase();
}

export function statusOf({ password }: Pick<User, 'password'>): UserStatus {
  return password === null ? 'invited' : 'active';
}

/** Whether this user is the only owner who can sign in. Without an owner, no user could manage the account. */
export function isLastOwner({ users }: Pick<AccountUsers, 'users'>, { id, role }: User): boolean {
  return (
    role === 'owner' &&
    !users.some((other) => other.id !== id && other.role === 'owner' && other.password !== null)
  );
}
