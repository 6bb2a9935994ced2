import type { SealedSecret } from './signingSecrets.js';

export const maximumHeaders = 20;
/** The most bytes of all names and values together. */
export const maximumHeaderBytes = 8 * 1024;

/** A header that a client has configured for the requests to a webhook. */
export interface CustomHeader {
  /** In lower case. */
  readonly name: string;
  readonly value: SealedSecret;
}

/** The headers that a request sets, by name. Null removes a header. A request of null removes all. */
export type HeaderUpdate = Readonly<Record<string, string | null>> | null;

/** An open header: its value as text. */
export interface OpenHeader {
  readonly name: string;
  readonly value: string;
}

/** A rule that a header breaks. The rule never contains the value. */
export interface HeaderFault {
  /** The name as the client wrote it; null if the headers together break the rule. */
  readonly name: string | null;
  readonly rule: string;
}

/** A token of RFC 9110. */
const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
/** Visible ASCII, with spaces and tabs inside. HTTP removes white space at the ends, so a scrub would miss the value. */
const valuePattern = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/u;

/** The headers that the HTTP client sets, and those of one connection (RFC 9110 section 7.6.1). */
const reservedNames = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const reservedBeginnings = ['content-', 'proxy-'];
const signatureEndings = ['id', 'timestamp', 'signature'];

/**
 * Whether no option of a webhook may set a header, because the HTTP client sets it.
 * @param name in lower case
 */
export function isReservedHeader(name: string): boolean {
  return reservedNames.has(name) || reservedBeginnings.some((beginning) => name.startsWith(beginning));
}

/** The associated data of a sealed value. A sealed value cannot be opened for another header or webhook. */
export function headerOwner(webhookId: string, name: string): string {
  return `${webhookId}/headers/${name}`;
}

/**
 * The first fault of the headers in a request.
 * @param signaturePrefix the beginning of the names of the signature headers
 */
export function headerUpdateFault(update: HeaderUpdate, signaturePrefix: string): HeaderFault | null {
  const entries = Object.entries(update ?? {});
  const names = new Set<string>();
  for (const [name, value] of entries) {
    const rule = nameRule(name, signaturePrefix) ?? (value === null ? null : valueRule(value));
    if (rule !== null) {
      return { name, rule };
    }
    if (names.has(name.toLowerCase())) {
      return { name, rule: 'must occur once, in upper or lower case' };
    }
    names.add(name.toLowerCase());
  }
  return null;
}

function nameRule(name: string, signaturePrefix: string): string | null {
  if (!namePattern.test(name)) {
    return 'must be a header name: letters, digits, and some punctuation such as hyphens';
  }
  const lower = name.toLowerCase();
  return isReservedHeader(lower) ||
    signatureEndings.some((ending) => lower === `${signaturePrefix}-${ending}`)
    ? 'must not be a header that the service sets'
    : null;
}

function valueRule(value: string): string | null {
  return valuePattern.test(value)
    ? null
    : 'must have a value of visible ASCII characters, with spaces and tabs only inside';
}

/** The headers after a merge by lower-case name. */
export function mergedHeaders(present: readonly OpenHeader[], update: HeaderUpdate): readonly OpenHeader[] {
  if (update === null) {
    return [];
  }
  const merged = new Map(present.map(({ name, value }) => [name, value]));
  for (const [name, value] of Object.entries(update)) {
    if (value === null) {
      merged.delete(name.toLowerCase());
    } else {
      merged.set(name.toLowerCase(), value);
    }
  }
  return [...merged].map(([name, value]) => ({ name, value }));
}

/** The limit that the headers of a webhook exceed together; null if they exceed none. */
export function headerLimitFault(headers: readonly OpenHeader[]): HeaderFault | null {
  if (headers.length > maximumHeaders) {
    return { name: null, rule: `must have at most ${String(maximumHeaders)} headers` };
  }
  const bytes = headers.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  return bytes > maximumHeaderBytes
    ? { name: null, rule: `must have at most ${String(maximumHeaderBytes)} bytes of names and values` }
    : null;
}
