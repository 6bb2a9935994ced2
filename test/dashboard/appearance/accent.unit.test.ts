import { expect } from 'chai';
import fc from 'fast-check';

import {
  controlContrast,
  grounds,
  shadesOf,
  textContrast,
  type Theme,
} from '../../../dashboard/appearance/accent.js';
import { contrast, hexOf, oklchOf } from '../../../dashboard/appearance/color.js';
import { itHolds } from '../../support/itHolds.js';

const colors = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number) => `#${number.toString(16).padStart(6, '0')}`);
const themes = fc.constantFrom<Theme>('light', 'dark');
const corners = ['#000000', '#ffffff', '#ff0000', '#00ff00', '#0000ff', '#ffff00', '#777777', '#767676'];

/** The contrasts of a theme's shades that are too low. */
function faults(accent: string, theme: Theme): readonly string[] {
  const { fill, fillHover, onFill, text, soft } = shadesOf(accent, theme);
  const pairs = [
    ...grounds[theme].map((ground) => [fill, ground, controlContrast] as const),
    ...[...grounds[theme], soft].map((ground) => [text, ground, textContrast] as const),
    [onFill, fill, textContrast] as const,
    [onFill, fillHover, textContrast] as const,
  ];
  return pairs
    .filter(([one, other, least]) => contrast(one, other) < least)
    .map(([one, other]) => `${accent}, ${theme}: ${one} on ${other}`);
}

describe('shadesOf', () => {
  itHolds(
    'gives every accent color legible text and visible controls in both themes',
    [colors, themes],
    (accent, theme) => {
      expect(faults(accent, theme)).to.deep.equal([]);
    },
    { numRuns: 2000, examples: corners.map((corner) => [corner, 'light']) },
  );

  it('keeps an accent color that is legible already', () => {
    expect(shadesOf('#3a4fd0', 'light')).to.include({ fill: '#3a4fd0', onFill: '#ffffff' });
  });
});

describe('the conversion of colors', () => {
  itHolds('returns every color unchanged', [colors], (color) => {
    expect(hexOf(oklchOf(color))).to.equal(color);
  });

  it('has the contrasts of the standard', () => {
    expect(contrast('#000000', '#ffffff')).to.be.closeTo(21, 0.001);
    expect(contrast('#767676', '#ffffff')).to.be.closeTo(4.54, 0.01);
  });
});
