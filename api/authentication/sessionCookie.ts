import { createHmac, timingSafeEqual } from 'node:crypto';

import { longestSeconds } from '../../shared/store/redis/sessions.js';

/** The session cookie. Its value is random bytes that no script can read. */
export interface SessionCookie {
  /** The value of the session in a `Cookie` header, or null if the value is missing or malformed. */
  read: (cookies: string | undefined) => string | null;
  /** The `Set-Cookie` header that starts a session. */
  give: (value: string) => string;
  /** The `Set-Cookie` header that removes the session cookie. */
  take: () => string;
}

/** The number of random bytes in the value of a session. */
export const sessionValueBytes = 32;

const valueForm = /^[A-Za-z0-9_-]{43}$/;

/**
 * @param isSecure whether the public URL has the scheme https. Browsers then send the session cookie by https only. The
 * prefix `__Host-` prevents other hosts of the domain from setting the session cookie (draft-ietf-httpbis-rfc6265bis
 * section 4.1.3.2).
 */
export function createSessionCookie(isSecure: boolean): SessionCookie {
  const name = cookieName('session', isSecure);
  const attributes = cookieAttributes('Lax', isSecure);
  return {
    read: (cookies) => {
      const value = cookieIn(cookies, name);
      return valueForm.test(value) ? value : null;
    },
    give: (value) => `${name}=${value}; Max-Age=${longestSeconds}; ${attributes}`,
    take: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}

export function cookieName(purpose: 'session' | 'device', isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}postrider_${purpose}`;
}

export function cookieAttributes(sameSite: 'Lax' | 'Strict', isSecure: boolean): string {
  return `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
}

/** The value of a cookie in a `Cookie` header, or an empty text if the cookie is missing. */
export function cookieIn(cookies: string | undefined, name: string): string {
  const pairs = (cookies ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/**
 * The CSRF token that the dashboard sends with each change, and that a foreign page cannot know. The token is derived
 * from the session's value, so it needs no storage.
 */
export function csrfTokenOf(value: string): string {
  return createHmac('sha256', value).update('csrf').digest('base64url');
}

export function isSameToken(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
