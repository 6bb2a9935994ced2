import { expect } from 'chai';
import fc from 'fast-check';

import { createEventSourceParser } from '../../../clients/typescript/src/stream/eventSourceParser.js';

interface Message {
  readonly type: string;
  readonly id: string;
  readonly lines: readonly string[];
}

const lineText = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, '–'));
const messages = fc.array(
  fc.record<Message>({
    type: fc.constantFrom('event', 'gap'),
    id: lineText.map((text) => text.replaceAll('\0', '')),
    lines: fc.array(lineText, { minLength: 1, maxLength: 3 }),
  }),
  { maxLength: 4 },
);
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');

function streamOf(sent: readonly Message[], end: string): Buffer {
  const lines = sent.flatMap(({ type, id, lines: data }) => [
    ': a comment',
    `id: ${id}`,
    `event: ${type}`,
    ...data.map((line) => `data: ${line}`),
    '',
  ]);
  return Buffer.from(['retry: 2000', ...lines].map((line) => `${line}${end}`).join(''));
}

/** The parts of a stream, cut at any bytes, as text. */
function partsOf(stream: Buffer, cuts: readonly number[]): readonly string[] {
  const decoder = new TextDecoder();
  const places = [0, ...cuts.map((cut) => cut % (stream.length + 1)), stream.length].sort((a, b) => a - b);
  return places
    .slice(1)
    .map((end, index) => decoder.decode(stream.subarray(places[index], end), { stream: true }));
}

describe('the parser of event streams', () => {
  it('gives the same messages wherever the stream is cut', () => {
    fc.assert(
      fc.property(messages, lineEnd, fc.array(fc.nat(), { maxLength: 30 }), (sent, end, cuts) => {
        const parser = createEventSourceParser();
        const received = partsOf(streamOf(sent, end), cuts).flatMap((part) => parser.push(part));
        expect(received).to.deep.equal(
          sent.map(({ type, id, lines }) => ({ type, data: lines.join('\n'), lastEventId: id })),
        );
        expect(parser.retry()).to.equal(2000);
      }),
    );
  });

  it('follows the standard where servers differ', () => {
    const stream =
      'event: a\ndata\ndata:  x\nid: 1\n\nid: 2\n\nretry: soon\nid: 3\0\nfuture: x\ndata:y\n\ndata: unfinished\n';
    for (const end of ['\n', '\r\n', '\r']) {
      const parser = createEventSourceParser();
      const received = Array.from(stream.replaceAll('\n', end)).flatMap((each) => parser.push(each));
      expect(received).to.deep.equal([
        { type: 'a', data: '\n x', lastEventId: '1' },
        { type: 'message', data: 'y', lastEventId: '2' },
      ]);
      expect(parser.retry()).to.equal(null);
    }
  });

  it('ends a message that never ends', () => {
    const parser = createEventSourceParser();
    const part = 'x'.repeat(1024 * 1024);
    expect(() => {
      for (let length = 0; length < 20; length += 1) {
        parser.push(part);
      }
    }).to.throw(RangeError);
  });
});
