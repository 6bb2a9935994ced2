import { createHmac, hkdfSync } from 'node:crypto';

import type { Clock } from '../../shared/core/clock.js';
import type { EncryptionKey } from '../../shared/security/secretBox.js';
import { cookieAttributes, cookieIn, cookieName, isSameToken } from './sessionCookie.js';

/** A browser on which a user has signed in before. */
export interface KnownDevice {
  /** The id of the device, which is different for each sign-in. */
  readonly id: string;
  readonly userId: string;
}

/**
 * The device cookie of OWASP ("Slow Down Online Guessing Attacks with Device Cookies"). A known browser has its own
 * limit of failed sign-ins, so attempts of other clients do not lock out its user.
 */
export interface DeviceCookie {
  /** The known device, or null without a valid cookie that this service has signed for this email address. */
  readonly read: (cookies: string | undefined, email: string) => KnownDevice | null;
  /** The `Set-Cookie` header of the device cookie after a sign-in. */
  readonly give: (user: { readonly id: string; readonly email: string }) => string;
}

export interface DeviceCookieDependencies {
  /** The first encryption key signs device cookies. All encryption keys verify device cookies. */
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly isSecure: boolean;
  readonly clock: Clock;
  readonly randomBytes: (count: number) => Buffer;
}

const lifetimeSeconds = 180 * 24 * 60 * 60;
const idBytes = 16;
/** The form of a device cookie: user id, time in seconds since 1970, device id, signature. */
const form = /^(usr_[0-9A-Z]{26})\.(\d{1,12})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

export function createDeviceCookie(dependencies: DeviceCookieDependencies): DeviceCookie {
  const { encryptionKeys, isSecure, clock, randomBytes } = dependencies;
  const name = cookieName('device', isSecure);
  const attributes = cookieAttributes('Strict', isSecure);
  const [first = Buffer.alloc(0), ...others] = encryptionKeys.map(({ bytes }) => signingKeyOf(bytes));
  const now = () => Math.floor(clock().getTime() / 1000);

  return {
    read: (cookies, email) => {
      const [, userId = '', issued = '', id = '', signature = ''] = form.exec(cookieIn(cookies, name)) ?? [];
      const expected = [first, ...others].map((key) => signatureOf(key, [userId, issued, id, email]));
      const isSigned = expected.some((candidate) => isSameToken(signature, candidate));
      return isSigned && now() < Number(issued) + lifetimeSeconds ? { id, userId } : null;
    },
    give: ({ id: userId, email }) => {
      const fields = [userId, String(now()), randomBytes(idBytes).toString('base64url')];
      const value = [...fields, signatureOf(first, [...fields, email])].join('.');
      return `${name}=${value}; Max-Age=${String(lifetimeSeconds)}; ${attributes}`;
    },
  };
}

/** A signing key for device cookies only (RFC 5869). A signature reveals nothing about the encryption key. */
function signingKeyOf(encryptionKey: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', encryptionKey, '', 'postrider device cookie', 32));
}

function signatureOf(key: Buffer, fields: readonly string[]): string {
  return createHmac('sha256', key).update(fields.join('\n')).digest('base64url');
}
