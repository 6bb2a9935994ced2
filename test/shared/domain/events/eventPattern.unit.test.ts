import { expect } from 'chai';
import fc from 'fast-check';

import { commonPatterns, isTypePattern, matchesAny } from '../../../../shared/domain/events/eventPattern.js';
import { itHolds } from '../../../support/itHolds.js';

describe('isTypePattern', () => {
  for (const text of ['order', 'order.completed', 'order.*', 'order.item.*', `${'a'.repeat(126)}.*`]) {
    it(`accepts ${text.slice(0, 20)}`, () => {
      expect(isTypePattern(text)).to.equal(true);
    });
  }

  for (const text of [
    '*',
    '.*',
    'order*',
    'order.*.added',
    '*.completed',
    'order.**',
    `${'a'.repeat(127)}.*`,
    '',
  ]) {
    it(`rejects ${text === '' ? 'an empty text' : text.slice(0, 20)}`, () => {
      expect(isTypePattern(text)).to.equal(false);
    });
  }
});

/** Few words, so that patterns overlap. */
const words = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 3 });
const anyType = words.map((parts) => parts.join('.'));
const anyPattern = fc.oneof(
  anyType,
  anyType.map((type) => `${type}.*`),
  fc.constant('*'),
);
const anyPatterns = fc.array(anyPattern, { minLength: 1, maxLength: 4 });

describe('commonPatterns', () => {
  itHolds(
    'match a type exactly if both lists match it',
    [anyPatterns, anyPatterns, anyType],
    (some, others, type) => {
      expect(matchesAny(commonPatterns(some, others), type)).to.equal(
        matchesAny(some, type) && matchesAny(others, type),
      );
    },
  );

  itHolds('contain no pattern twice', [anyPatterns, anyPatterns], (some, others) => {
    const common = commonPatterns(some, others);
    expect(common).to.have.lengthOf(new Set(common).size);
  });
});
