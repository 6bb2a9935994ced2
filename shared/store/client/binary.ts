import { Binary } from 'mongodb';

/** Bytes as MongoDB stores them. */
export function toBinary(bytes: Buffer): Binary {
  return new Binary(bytes);
}

/** The bytes of a stored binary value, without a copy. */
export function fromBinary(binary: Binary): Buffer {
  return Buffer.from(binary.buffer.buffer, binary.buffer.byteOffset, binary.position);
}
