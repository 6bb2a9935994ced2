import { quote, stringEnd } from '../../domain/events/jsonText.js';

/** A decimal number: an integer of any length, multiplied by a power of ten. */
export interface Decimal {
  readonly negative: boolean;
  /** The significant digits, without zeros at either end. Zero has none. */
  readonly digits: string;
  /** The power of ten of the last digit. */
  readonly exponent: number;
}

/** A number of a JSON text that a JavaScript number does not preserve. */
export class ExactNumber implements Decimal {
  /** The number as the JSON text contains it. */
  readonly text: string;
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;

  constructor(text: string) {
    const { negative, digits, exponent } = decimalOf(text);
    this.text = text;
    this.negative = negative;
    this.digits = digits;
    this.exponent = exponent;
  }
}

/** Decimals of so many significant digits have distinct JavaScript numbers, which are ordered like the decimals. */
const exactDigits = 15;

/** Above this absolute power of ten, JavaScript numbers overflow, or lose digits. */
const exactMagnitude = 290;

/** The number of digits, and the absolute exponent, that calculations with exact numbers accept. */
export const maximumDigits = 400;

/** A number for comparisons: a JavaScript number if that is exact. So equal numbers have equal representations. */
export function comparableNumber(text: string): number | ExactNumber {
  const exact = new ExactNumber(text);
  const isExact =
    exact.digits.length <= exactDigits && Math.abs(exact.exponent + exact.digits.length) <= exactMagnitude;
  return isExact ? Number(text) : exact;
}

/** A number that keeps its text: a JavaScript number if its usual text is the same. */
export function verbatimNumber(text: string): number | ExactNumber {
  const number = Number(text);
  return String(number) === text ? number : new ExactNumber(text);
}

/** Whether calculations with a number take too long. */
export function isOverlong(number: number | Decimal): boolean {
  return (
    typeof number !== 'number' &&
    (number.digits.length > maximumDigits || Math.abs(number.exponent) > maximumDigits)
  );
}

export function isInteger(number: number | Decimal): boolean {
  return typeof number === 'number' ? Number.isInteger(number) : number.exponent >= 0;
}

/** @returns a negative number, zero or a positive number, like the function of `Array.sort` */
export function compareNumbers(left: number | Decimal, right: number | Decimal): number {
  if (typeof left === 'number' && typeof right === 'number') {
    return left - right;
  }
  const [first, second] = [toDecimal(left), toDecimal(right)];
  const signs = sign(first) - sign(second);
  return signs === 0 ? sign(first) * compareMagnitudes(first, second) : signs;
}

/** Whether a number is a multiple of a positive divisor: 0.3 is a multiple of 0.1. Neither may be overlong. */
export function isMultipleOf(number: number | Decimal, divisor: number | Decimal): boolean {
  if (Number.isSafeInteger(number) && Number.isSafeInteger(divisor)) {
    return Number(number) % Number(divisor) === 0;
  }
  const [dividend, unit] = [toDecimal(number), toDecimal(divisor)];
  const exponent = Math.min(dividend.exponent, unit.exponent);
  return scaled(dividend, exponent) % scaled(unit, exponent) === 0n;
}

/** A text that is equal for equal numbers of `comparableNumber`. */
export function canonicalNumber(number: number | Decimal): string {
  return typeof number === 'number'
    ? String(number)
    : `${number.negative ? '-' : ''}${number.digits}e${number.exponent}`;
}

const numberParts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

function decimalOf(text: string): Decimal {
  const [, minus, integer = '', fraction = '', exponent = '0'] = numberParts.exec(text) ?? [];
  const all = integer + fraction;
  const start = positionWhere(all, 0, 1);
  const end = positionWhere(all, all.length - 1, -1) + 1;
  if (start >= end) {
    return { negative: false, digits: '', exponent: 0 };
  }
  return {
    negative: minus === '-',
    digits: all.slice(start, end),
    exponent: Number(exponent) - fraction.length + (all.length - end),
  };
}

/** The position of the first digit other than zero. A regular expression would take quadratic time for `0…01`. */
function positionWhere(digits: string, start: number, step: 1 | -1): number {
  let at = start;
  while (digits[at] === '0') {
    at += step;
  }
  return at;
}

function toDecimal(number: number | Decimal): Decimal {
  return typeof number === 'number' ? decimalOf(String(number)) : number;
}

function sign({ negative, digits }: Decimal): number {
  return digits === '' ? 0 : negative ? -1 : 1;
}

function compareMagnitudes(left: Decimal, right: Decimal): number {
  const magnitudes = left.exponent + left.digits.length - (right.exponent + right.digits.length);
  if (magnitudes !== 0) {
    return magnitudes;
  }
  return left.digits === right.digits ? 0 : left.digits < right.digits ? -1 : 1;
}

function scaled({ digits, exponent }: Decimal, unit: number): bigint {
  return BigInt(digits) * 10n ** BigInt(exponent - unit);
}

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
