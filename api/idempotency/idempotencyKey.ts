import { refusal, type Refusal } from '../refusal.js';

const printable = /^[ -~]{1,255}$/;
/** A string of RFC 8941 section 3.3.3, as draft-ietf-httpapi-idempotency-key-header asks for: a backslash stands before a quote or another one. */
const quotedString = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
const escaped = /\\(["\\])/g;

/**
 * The idempotency key of a request. A quoted string and the bare text of the same characters are the same key.
 * @param values what each `Idempotency-Key` header of the request says
 */
export function readIdempotencyKey(values: readonly string[]): string | Refusal {
  const [value = '', ...others] = values;
  const key = value.startsWith('"') ? unquoted(value) : value;
  return others.length === 0 && printable.test(key) ? key : invalidKey;
}

/** The text of a quoted string; nothing where it is none. */
function unquoted(value: string): string {
  return quotedString.exec(value)?.[1]?.replace(escaped, '$1') ?? '';
}

const invalidKey = refusal(
  'idempotency_key_invalid',
  'Send one Idempotency-Key of 1 to 255 printable ASCII characters, such as a UUID, with or without quotes.',
);
