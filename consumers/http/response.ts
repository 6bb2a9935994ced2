import { Readable } from 'node:stream';

import type { Response } from 'node-fetch';

import type { ExchangeSignal } from './exchangeEnding.js';

/** How much of a body is read before it is cut off: enough to let a well-behaved connection be used again. */
const maxReadBytes = 64 * 1024;
/** How much of a body, and of the headers, is kept. */
const maxKeptBytes = 4 * 1024;
/** What each header costs beside its characters, as in RFC 7541 section 4.1: thousands of tiny ones are bounded too. */
const headerOverheadBytes = 32;

/** Of RFC 9110: their responses have no body, whatever follows their head. */
const codesWithoutBody = new Set([204, 304]);

export const emptyBody = Buffer.alloc(0);

export interface ReadBody {
  /** The first 4 KiB, as they were sent: nothing is decompressed. */
  readonly kept: Buffer;
  readonly end: 'complete' | 'cut off' | 'lost';
  /** What ended a body that was lost. */
  readonly error: unknown;
}

/**
 * Reads a body to its end or to 64 KiB, whichever comes first, unless the exchange is ended before. Never rejects; the caller
 * closes what was cut off.
 */
export function readBody({ status, body }: Response, signal: ExchangeSignal): Promise<ReadBody> {
  if (codesWithoutBody.has(status)) {
    return Promise.resolve({ kept: emptyBody, end: 'complete', error: null });
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let readBytes = 0;
    const finish = (end: ReadBody['end'], error?: unknown): void => {
      body.off('data', read);
      signal.removeEventListener('abort', giveUp);
      resolve({ kept: firstBytes(chunks), end, error });
    };
    // A body that node-fetch has given up before anybody could listen says nothing any more.
    const giveUp = (): void => finish('lost', body instanceof Readable ? body.errored : null);
    const read = (chunk: Buffer): void => {
      if (readBytes < maxKeptBytes) {
        chunks.push(chunk);
      }
      readBytes += chunk.length;
      if (readBytes >= maxReadBytes) {
        finish('cut off');
      }
    };
    body.on('data', read);
    body.once('end', () => finish('complete'));
    body.once('error', (error) => finish('lost', error));
    body.once('close', () => finish('lost'));
    signal.addEventListener('abort', giveUp);
  });
}

/** A copy: a part of a chunk would keep the whole chunk in memory for as long as the outcome lives. */
function firstBytes(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 0 ? emptyBody : Buffer.from(Buffer.concat(chunks).subarray(0, maxKeptBytes));
}

interface HeaderList {
  keys: () => Iterable<string>;
  get: (name: string) => string | null;
}

/** The headers, in the order of their names, as far as they fit into 4 KiB. */
export function firstHeaders(headers: HeaderList): Record<string, string> {
  const kept: Record<string, string> = {};
  let remaining = maxKeptBytes;
  for (const name of headers.keys()) {
    const value = headers.get(name) ?? '';
    remaining -= Buffer.byteLength(name) + Buffer.byteLength(value) + headerOverheadBytes;
    if (remaining < 0) {
      break;
    }
    kept[name] = value;
  }
  return kept;
}
