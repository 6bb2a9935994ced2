import { expect } from 'chai';
import fc from 'fast-check';

import { createScrub } from '../../../consumers/credentials/scrub.js';
import { itHolds } from '../../support/itHolds.js';

const keptBytes = 64;

/** How a JSON library writes one character in a string. Libraries differ in what they escape, and in the case of hex. */
type Encoder = (character: string) => string;

const quoted: Encoder = (character) => JSON.stringify(character).slice(1, -1);
const lowerCase: Encoder = (character) =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
const upperCase: Encoder = (character) => lowerCase(character).toUpperCase().replaceAll('\\U', '\\u');
const encoders: readonly Encoder[] = [
  quoted,
  // PHP by default.
  (character) => (character === '/' ? '\\/' : quoted(character)),
  lowerCase,
  upperCase,
];

/** An encoder for each character of a text, in turn. */
const encodings = fc.array(fc.constantFrom(...encoders), { minLength: 1, maxLength: 8 });

function encoded(text: string, encoding: readonly Encoder[]): string {
  return Array.from(text, (character, at) => (encoding[at % encoding.length] ?? quoted)(character)).join('');
}

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

  itHolds(
    'masks a value in a JSON string, whatever its escape sequences',
    [
      fc.string({
        unit: fc.constantFrom('a', '/', '"', '\\', '\t', '<', 'é', '€', '😀'),
        minLength: 4,
        maxLength: 12,
      }),
      encodings,
      fc.constantFrom('.', 'è', String.raw`\u00e8`, String.raw`\n`),
    ],
    (value, encoding, before) => {
      const { text } = createScrub([value]);

      expect(text(`{"x":"${before}${encoded(value, encoding)}."}`)).to.equal(`{"x":"${before}***."}`);
    },
  );

  itHolds(
    'leaves no part of a value at the cut, whatever its escape sequences',
    [
      fc.constantFrom('planted-value', 'abcd', 'planted/välue', '"a\\b"\\c', '😀😀😀'),
      encodings,
      fc.integer({ min: 0, max: keptBytes + 5 }),
    ],
    (value, encoding, before) => {
      const scrub = createScrub([value]);
      const whole = Buffer.from(`${'.'.repeat(before)}${encoded(value, encoding)}${'.'.repeat(100)}`);
      const kept = scrub.bytes(whole.subarray(0, keptBytes + scrub.lookahead), keptBytes).toString();

      expect(kept).to.match(/^\.*\**\.*$/u);
      expect(kept.length).to.be.at.most(keptBytes);
    },
  );

  itHolds(
    'masks the beginning of a value wherever the bytes end',
    [fc.constantFrom('planted/välue', '😀😀😀'), encodings, fc.nat()],
    (value, encoding, end) => {
      const whole = Buffer.from(encoded(value, encoding));
      const least = Buffer.byteLength(encoded(value.slice(0, 4), encoding));
      const cut = whole.subarray(0, least + (end % (whole.length - least + 1)));

      expect(createScrub([value]).bytes(cut, cut.length).toString()).to.equal('***');
    },
  );

  it('masks a value in UTF-8 that was read as Latin-1', () => {
    const { text } = createScrub(['plänted']);

    expect(text(`echo ${Buffer.from('plänted').toString('latin1')}`)).to.equal('echo ***');
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
