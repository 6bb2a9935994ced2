import { createHash } from 'node:crypto';

/** The appearance of an account's customer portal, and the pages that may embed it. */
export interface PortalSettings {
  /** The name of the portal, or null for the name of the service. */
  readonly name: string | null;
  readonly logoUrl: string | null;
  /** A color as `#rrggbb`, or null for the color of the service. */
  readonly accentColor: string | null;
  readonly colorScheme: ColorScheme;
  /** The origins of the pages that may embed the portal and use portal sessions. */
  readonly origins: readonly string[];
}

export const colorSchemes = ['auto', 'light', 'dark'] as const;

export type ColorScheme = (typeof colorSchemes)[number];

/** The settings of an account that never changed them. No page can embed its portal. */
export const defaultPortalSettings: PortalSettings = {
  name: null,
  logoUrl: null,
  accentColor: null,
  colorScheme: 'auto',
  origins: [],
};

export const maximumOrigins = 20;

/**
 * The hosts that a Content-Security-Policy can name. A wildcard would permit other hosts, and a semicolon would begin
 * another directive.
 */
const hostForm = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])$/;
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * The origin of a URL, or null if the portal cannot use it. The URL has the scheme https, or http with a host on
 * loopback.
 */
export function portalOriginOf(url: string): string | null {
  if (!URL.canParse(url)) {
    return null;
  }
  const { protocol, hostname, origin } = new URL(url);
  const isAllowed = protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname));
  return isAllowed && hostForm.test(hostname) ? origin : null;
}

/** The origin in its normal form, or null if the text contains more than an origin that the portal can use. */
export function asPortalOrigin(text: string): string | null {
  const origin = portalOriginOf(text);
  return origin !== null && new URL(text).href === `${origin}/` ? origin : null;
}

/** What every token of a portal session begins with. */
export const portalTokenPrefix = 'pst_';

/**
 * The pattern of the token of a portal session: `pst_` and 32 bytes in base64url. The last of the 43 characters encodes
 * only four bits, so 16 characters are possible.
 */
const tokenForm = /^pst_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** Whether a text has the form of a portal token. A text of another form needs no lookup. */
export function isPortalToken(text: string): boolean {
  return tokenForm.test(text);
}

/** The token of a portal session: `pst_` and 32 random bytes in base64url. */
export function portalToken(bytes: Buffer): string {
  return `${portalTokenPrefix}${bytes.toString('base64url')}`;
}

/** The id of a portal session: SHA-256 of its token, in hexadecimal. With 256 random bits, a fast hash is enough. */
export function hashOfPortalToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The URL of a portal session. Browsers do not send the text after `#`, so no server log contains the token. */
export function portalUrl(publicUrl: string, accountId: string, token: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/portal/${accountId}#token=${token}`;
}
