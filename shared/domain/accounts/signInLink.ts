import { createHash } from 'node:crypto';

import type { AccountUsers, SignInLink, User } from './user.js';

const hourMs = 60 * 60 * 1000;
/**
 * The lifetimes of sign-in links. A link for a new password is shorter-lived than an invitation, because its user is
 * waiting for it.
 */
const invitationMs = 7 * 24 * hourMs;
const newLinkMs = 24 * hourMs;

/** Random bytes in the token of a sign-in link. */
export const signInTokenBytes = 32;

export interface NewSignInLink {
  /** The token of the sign-in link. Only the user gets the token, and it is stored nowhere. */
  readonly token: string;
  readonly link: SignInLink;
}

/**
 * A sign-in link for a user.
 * @param bytes 32 random bytes
 * @param user null for a user who is being invited
 */
export function createSignInLink(
  bytes: Buffer,
  user: Pick<User, 'password'> | null,
  now: Date,
): NewSignInLink {
  const token = bytes.toString('base64url');
  const lifetimeMs = (user?.password ?? null) === null ? invitationMs : newLinkMs;
  return {
    token,
    link: { hash: hashOfToken(token), expiresAt: new Date(now.getTime() + lifetimeMs) },
  };
}

/** The hash by which a sign-in link is looked up: SHA-256 of its token, in hexadecimal. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The user of a valid sign-in link. */
export function userOfLink({ users }: Pick<AccountUsers, 'users'>, hash: string, now: Date): User | null {
  return users.find(({ link }) => link?.hash === hash && link.expiresAt > now) ?? null;
}

/** The URL of a sign-in link. Browsers do not send the text after `#`, so no server log contains the token. */
export function signInUrl(publicUrl: string, token: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/dashboard/link#token=${token}`;
}
