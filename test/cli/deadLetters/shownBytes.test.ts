import { expect } from 'chai';

import { bytesOf, onOneLine } from '../../../cli/deadLetters/shownBytes.js';

describe('bytes on a terminal', () => {
  const cases: readonly (readonly [what: string, bytes: Buffer, shown: string])[] = [
    ['text', Buffer.from('{"é":\t1}\n'), '{"é":\t1}\n'],
    ['what is no UTF-8', Buffer.from([0xff, 0x00]), 'ff00'],
    ['what would steer the terminal', Buffer.from('\u001B[2J'), '1b5b324a'],
    ['what would turn the line around', Buffer.from('\u202Ea'), 'e280ae61'],
    ['nothing', Buffer.alloc(0), ''],
  ];
  for (const [what, bytes, shown] of cases) {
    it(`are shown where they are ${what}`, () => {
      expect(bytesOf(bytes).text).to.equal(shown);
    });
  }

  it('stay on one line', () => {
    expect(onOneLine('a\nb\u001B[2Jc')).to.equal('a?b?[2Jc');
  });
});
