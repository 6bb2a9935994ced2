import { expect } from 'chai';

import { responseText } from '../../../../api/resources/attempts/handlers.js';

/** The first 4 KiB of a text. */
function cut(text: string): Buffer {
  return Buffer.from(text).subarray(0, 4096);
}

describe('the response text of an attempt', () => {
  it('is the text of UTF-8', () => {
    expect(responseText(Buffer.from('gesundheit ✓ 🎉'))).to.equal('gesundheit ✓ 🎉');
  });

  it('is nothing of nothing', () => {
    expect(responseText(Buffer.alloc(0))).to.equal('');
  });

  it('has U+FFFD for bytes that are no UTF-8', () => {
    expect(responseText(Buffer.from([0x61, 0xff, 0x62]))).to.equal('a�b');
  });

  it('keeps a byte-order mark', () => {
    expect(responseText(Buffer.from('﻿{}'))).to.equal('﻿{}');
  });

  for (const before of [0, 1, 2, 3]) {
    it(`leaves out a character that the cut went through, ${before} bytes of it being there`, () => {
      const text = 'a'.repeat(4096 - before);

      expect(responseText(cut(`${text}🎉`))).to.equal(text);
    });
  }

  it('keeps a character that ends where the cut is', () => {
    const text = `${'a'.repeat(4092)}🎉`;

    expect(responseText(cut(text))).to.equal(text);
  });

  it('has U+FFFD where a shorter response ends within a character', () => {
    expect(responseText(Buffer.from('🎉').subarray(0, 3))).to.equal('�');
  });
});
