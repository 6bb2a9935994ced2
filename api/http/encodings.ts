import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import type { ApiContext } from './context.js';

/** A content coding (RFC 9110 section 8.4.1). */
export type Coding = 'br' | 'gzip';

/** A content in the codings that it was compressed with before. */
export type Encodings = Readonly<Partial<Record<Coding, Buffer>>>;

/** The preferred one first. */
const codings: readonly Coding[] = ['br', 'gzip'];

/** Smaller contents are not worth it: they fit into one packet. */
export const leastCompressedBytes = 1024;

const inBrotli = promisify(brotliCompress);
const inGzip = promisify(gzip);
/** The highest quality takes a second for a document of 300 KB. */
const brotliParameters = { [constants.BROTLI_PARAM_QUALITY]: 6 };

/** A text that is sent many times, in all codings. */
export async function encodingsOf(content: string): Promise<Encodings> {
  if (Buffer.byteLength(content) < leastCompressedBytes) {
    return {};
  }
  const [br, gzipped] = await Promise.all([inBrotli(content, { params: brotliParameters }), inGzip(content)]);
  return { br, gzip: gzipped };
}

/** The best coding that the client accepts; null for the content as it is. */
export function acceptedCoding(context: ApiContext, encodings: Encodings): Coding | null {
  return (
    codings.find(
      (coding) => encodings[coding] !== undefined && context.acceptsEncodings(coding) === coding,
    ) ?? null
  );
}
