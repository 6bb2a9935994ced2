import type { Credential } from './credentials.js';

export const maximumHeaders = 20;
/** The most bytes of all names and values together. */
export const maximumHeaderBytes = 8 * 1024;

/** The headers that a request sets, by name. Null removes a header. A request of null removes all. */
export type HeaderUpdate = Readonly<Record<string, string | null>> | null;

/** A rule that headers break. The rule completes the sentence "headers.<name> must be …", and never has the value. */
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
const slot = 'headers/';

/**
 * Whether no option of a webhook may set a header, because the HTTP client sets it.
 * @param name in lower case
 */
export function isReservedHeader(name: string): boolean {
  return reservedNames.has(name) || reservedBeginnings.some((beginning) => name.startsWith(beginning));
}

/**
 * The name of the credential with the value of a header.
 * @param name in upper or lower case
 */
export function headerCredential(name: string): string {
  return `${slot}${name.toLowerCase()}`;
}

/** The name of the header whose value a credential contains, in lower case; null for another credential. */
export function headerNameOf({ name }: Pick<Credential, 'name'>): string | null {
  return name.startsWith(slot) ? name.slice(slot.length) : null;
}

/** The first fault of the headers in a request, except for what depends on the webhook. */
export function headerFault(update: Readonly<Record<string, unknown>>): HeaderFault | null {
  const names = new Set<string>();
  for (const [name, value] of Object.entries(update)) {
    const rule = nameRule(name) ?? valueRule(value);
    if (rule !== null) {
      return { name, rule };
    }
    if (names.has(name.toLowerCase())) {
      return { name, rule: 'named once; upper and lower case make no difference' };
    }
    names.add(name.toLowerCase());
  }
  const limit = headerLimit(
    Object.entries(update).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
  return limit === null ? null : { name: null, rule: limit };
}

function nameRule(name: string): string | null {
  // The HTTP client keeps headers in an object, which would lose this one.
  if (!namePattern.test(name) || name.toLowerCase() === '__proto__') {
    return 'named by letters, digits and some punctuation such as hyphens';
  }
  return isReservedHeader(name.toLowerCase()) ? reservedRule : null;
}

export const reservedRule = 'left out, because the service sets this header itself';

function valueRule(value: unknown): string | null {
  return value === null || (typeof value === 'string' && valuePattern.test(value))
    ? null
    : 'null, or a text of visible ASCII characters, with spaces and tabs only inside';
}

/** The limit that the headers of a webhook exceed together; null if they exceed none. */
export function headerLimit(headers: readonly (readonly [name: string, value: string])[]): string | null {
  if (headers.length > maximumHeaders) {
    return `at most ${String(maximumHeaders)} headers`;
  }
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return bytes > maximumHeaderBytes
    ? `at most ${String(maximumHeaderBytes)} bytes, the names and values of all headers together`
    : null;
}
