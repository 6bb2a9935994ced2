import { expect } from 'chai';

import { responseText } from '../../../../api/resources/attempts/handlers.js';

/** The first 4 KiB of a text. */
function cut(text: string): Buffer {
  return Buffer.from(text).subarray(0, 4096);
}

describe('the response text of an attempt', () => {
  it('decodes UTF-8', () => {
    expect(responseText(Buffer.from('gesundheit ✓ 🎉'))).to.equal('gesundheit ✓ 🎉');
  });

  it('is empty for an empty response', () => {
    expect(responseText(Buffer.alloc(0))).to.equal('');
  });

  it('has U+FFFD for invalid UTF-8', () => {
    expect(responseText(Buffer.from([0x61, 0xff, 0x62]))).to.equal('a�b');
  });

  it('retains a byte-order mark', () => {
    expect(responseText(Buffer.from('﻿{}'))).to.equal('﻿{}');
  });

  for (const before of [0, 1, 2, 3]) {
    it(`omits a character that is cut after ${before} bytes`, () => {
      const text = 'a'.repeat(4096 - before);

      expect(responseText(cut(`${text}🎉`))).to.equal(text);
    });
  }

  it('retains a character that ends at the cut', () => {
    const text = `${'a'.repeat(4092)}🎉`;

    expect(responseText(cut(text))).to.equal(text);
  });

  it('has U+FFFD if a shorter response ends within a character', () => {
    expect(responseText(Buffer.from('🎉').subarray(0, 3))).to.equal('�');
  });
});
