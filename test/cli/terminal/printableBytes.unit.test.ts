import { expect } from 'chai';

import { bytesOf, onOneLine } from '../../../cli/terminal/printableBytes.js';

describe('bytes on a terminal', () => {
  const cases: readonly (readonly [what: string, bytes: Buffer, shown: string])[] = [
    ['text', Buffer.from('{"é":\t1}\n'), '{"é":\t1}\n'],
    ['invalid UTF-8', Buffer.from([0xff, 0x00]), 'ff00'],
    ['a control sequence', Buffer.from('\u001B[2J'), '1b5b324a'],
    ['a change of the text direction', Buffer.from('\u202Ea'), 'e280ae61'],
    ['no bytes', Buffer.alloc(0), ''],
  ];
  for (const [what, bytes, shown] of cases) {
    it(`are safe to show for ${what}`, () => {
      expect(bytesOf(bytes).text).to.equal(shown);
    });
  }

  it('stay on one line', () => {
    expect(onOneLine('a\nb\u001B[2Jc')).to.equal('a?b?[2Jc');
  });
});
