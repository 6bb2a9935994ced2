import { quote, stringEnd } from '../../domain/events/jsonText.js';

/** JavaScript numbers preserve so many digits. */
const exactDigits = 15;

/**
 * Whether JSON has a number that a JavaScript number may not preserve: more than 15 digits, or an exponent.
 *
 * @param json The bytes of a valid JSON text.
 */
export function hasLongNumbers(json: Buffer): boolean {
  let digits = 0;
  let at = 0;
  while (at < json.length && digits <= exactDigits) {
    const byte = json[at] ?? 0;
    if (digits > 0 && isExponent(byte)) {
      return true;
    }
    digits = digitsAfter(byte, digits);
    at = byte === quote ? stringEnd(json, at) : at + 1;
  }
  return digits > exactDigits;
}

/** The digits of the number that a byte belongs to, up to this byte. */
function digitsAfter(byte: number, digits: number): number {
  return isDigit(byte) ? digits + 1 : isPoint(byte) ? digits : 0;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isPoint(byte: number): boolean {
  return byte === 0x2e;
}

/** `e` or `E`. */
function isExponent(byte: number): boolean {
  return (byte | 0x20) === 0x65;
}
