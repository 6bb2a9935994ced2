import { expect } from 'chai';

import { textSchema } from '../../../api/http/schemas.js';

describe('the length of a text', () => {
  for (const [text, isValid] of [
    ['abc', true],
    ['abcd', false],
    ['😀😀😀', true],
    ['😀😀😀😀', false],
    ['\uD83D', false],
  ] as const) {
    it(`is ${isValid ? 'within' : 'beyond'} three Unicode characters: ${JSON.stringify(text)}`, () => {
      expect(textSchema(3).safeParse(text).success).to.equal(isValid);
    });
  }
});
