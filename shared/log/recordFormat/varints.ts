/**
 * The integers of a record: zigzag-encoded, with seven bits in each byte, the least significant first, as in Protocol
 * Buffers (https://kafka.apache.org/documentation/#record). They are exact to 2^52 in both directions. Lengths, and
 * differences of offsets and of milliseconds, are smaller.
 */

/** The bit that is set in each byte but the last one. */
const continues = 0x80;

/** A read position in a buffer. */
export interface Cursor {
  offset: number;
}

/** The number of bytes of an encoded integer. */
export function sizeOfVarint(value: number): number {
  let rest = zigzag(value);
  let size = 1;
  while (rest >= continues) {
    rest = Math.floor(rest / continues);
    size += 1;
  }
  return size;
}

/** @returns the offset after it */
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

/** Reads an integer and moves the cursor past it. */
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
