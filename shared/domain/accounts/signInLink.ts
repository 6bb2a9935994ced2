import { createHash } from 'node:crypto';

import type { People, SignInLink, User } from './user.js';

const hourMs = 60 * 60 * 1000;
/** One who was invited may be away for a while; one who asks for a link is waiting for it. */
const invitationMs = 7 * 24 * hourMs;
const newLinkMs = 24 * hourMs;

/** Random bytes in each token. */
export const signInTokenBytes = 32;

export interface NewSignInLink {
  /** Goes to the person, and is kept nowhere. */
  readonly token: string;
  readonly link: SignInLink;
}

/**
 * A link for a person.
 * @param bytes 32 random ones
 * @param user null for one who is invited now
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

/** How links are looked up: SHA-256 of the token, in hexadecimal. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Who may use a link by now. */
export function userOfLink({ users }: Pick<People, 'users'>, hash: string, now: Date): User | null {
  return users.find(({ link }) => link?.hash === hash && link.expiresAt > now) ?? null;
}

/** Where a person opens it. What stands behind the `#` reaches no server, so no log of one has it. */
export function signInUrl(publicUrl: string, token: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/dashboard/link#token=${token}`;
}
