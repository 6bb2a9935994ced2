import { expect } from 'chai';
import fc from 'fast-check';

import { createScrub } from '../../../consumers/credentials/scrub.js';

const keptBytes = 64;

describe('createScrub', () => {
  it('replaces each occurrence of a value', () => {
    const { text } = createScrub(['planted-1', 'planted-2']);

    expect(text('planted-1, planted-2 and planted-1')).to.equal('***, *** and ***');
  });

  it('leaves a text without a value unchanged', () => {
    const { text } = createScrub(['planted']);

    expect(text('Straße plant')).to.equal('Straße plant');
  });

  it('masks values that overlap as one', () => {
    const { text } = createScrub(['abcd', 'cdef']);

    expect(text('x abcdef y')).to.equal('x *** y');
  });

  it('masks a value that overlaps with itself', () => {
    const { text } = createScrub(['abab']);

    expect(text('x ababab y')).to.equal('x *** y');
  });

  it('masks a value that a receiver echoes in a JSON string', () => {
    const value = 'a"b\\c\td';
    const { text } = createScrub([value]);

    expect(text(JSON.stringify({ echo: value }))).to.equal('{"echo":"***"}');
  });

  it('leaves values below four characters', () => {
    const { text, lookahead } = createScrub(['abc']);

    expect([text('abc'), lookahead]).to.deep.equal(['abc', 0]);
  });

  it('masks the beginning of a value at the end of bytes, which may have been cut off', () => {
    const { bytes } = createScrub(['planted-value']);

    expect(bytes(Buffer.from('echo planted-v'), keptBytes).toString()).to.equal('echo ***');
  });

  it('leaves the beginning of a value at the end of a complete text', () => {
    const { text } = createScrub(['json-key']);

    expect(text('application/json')).to.equal('application/json');
  });

  it('leaves no part of a value at the cut', () => {
    const value = 'planted-value';
    const scrub = createScrub([value]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: keptBytes + 5 }), (before) => {
        const whole = Buffer.from(`${'.'.repeat(before)}${value}${'.'.repeat(100)}`);
        const kept = scrub.bytes(whole.subarray(0, keptBytes + scrub.lookahead), keptBytes).toString();

        expect(kept).to.match(/^\.*\**\.*$/u);
        expect(kept.length).to.be.at.most(keptBytes);
      }),
    );
  });

  it('leaves no occurrence of any value in any text', () => {
    const letters = fc.constantFrom('a', 'b');
    const value = fc.string({ unit: letters, minLength: 4, maxLength: 8 });
    const text = fc.string({ unit: letters, maxLength: 60 });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), text, (values, echoed) => {
        const shown = createScrub(values).text(echoed);

        expect(values.filter((one) => shown.includes(one))).to.deep.equal([]);
      }),
    );
  });
});
