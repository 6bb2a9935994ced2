/**
 * The integers of a record: zigzag-encoded, with seven bits in each byte, the least significant first, as in Protocol
 * Buffers (https://kafka.apache.org/documentation/#record). The integers are exact from -2^52 to 2^52. Lengths, and
 * differences of offsets and of milliseconds, are within this range.
 */

/** The bit that is set in each byte of an encoded integer except the last byte. */
const continues = 0x80;

/** A read position in a buffer. */
export interface Cursor {
  offset: number;
}

/** The size of an encoded integer, in bytes. */
export function sizeOfVarint(value: number): number {
  let rest = zigzag(value);
  let size = 1;
  while (rest >= continues) {
    rest = Math.floor(rest / continues);
    size += 1;
  }
  return size;
}

/**
 * Writes an encoded integer.
 * @returns the offset after the integer
 */
export function writeVarint(buffer: Buffer, offset: number, value: number): number {
  let rest = zigzag(value);
  let next = offset;
  while (rest >= continues) {
    buffer[next] = (rest % continues) + continues;
    rest = Math.floor(rest / continues);
    next += 1;
  }
  buffer[next] = rest;
  return next + 1;
}

/** Reads an encoded integer and moves the cursor to the next byte. */
export function readVarint(buffer: Buffer, cursor: Cursor): number {
  let encoded = 0;
  let factor = 1;
  let byte: number;
  do {
    byte = buffer[cursor.offset] ?? 0;
    cursor.offset += 1;
    encoded += (byte % continues) * factor;
    factor *= continues;
  } while (byte >= continues);
  return encoded % 2 === 0 ? encoded / 2 : -(encoded + 1) / 2;
}

function zigzag(value: number): number {
  return value >= 0 ? value * 2 : -value * 2 - 1;
}
