import { createHash } from 'node:crypto';

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
  return `pst_${bytes.toString('base64url')}`;
}

/** The id of a portal session: SHA-256 of its token, in hexadecimal. With 256 random bits, a fast hash is enough. */
export function hashOfPortalToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The URL of a portal session. Browsers do not send the text after `#`, so no server log contains the token. */
export function portalUrl(publicUrl: string, accountId: string, token: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/portal/${accountId}#token=${token}`;
}
