import { expect } from 'chai';

import { lineOf, paragraphsOf } from '../../../api/documentation/commonMark.js';

const hostile = [
  '<script>alert(1)</script>',
  'text <img src=x onerror=alert(1)> text',
  '[a](javascript:alert(1))',
  '![a" onerror="alert(1)](x)',
  '<javascript:alert(1)>',
  '`<b>`',
  '# <i onclick=x>',
  '```html" onclick="x\n<b>\n```',
];

const unsafe = /<(?!\/?(?:p|h1|code|pre|strong|em)\b)|<[^>]*\son\w+=|javascript:[^<]*"/;

describe('the CommonMark renderer of the API reference', () => {
  for (const text of hostile) {
    it(`escapes markup in paragraphs: ${JSON.stringify(text)}`, () => {
      expect(paragraphsOf(text).markup).not.to.match(unsafe);
    });

    it(`escapes markup within a line: ${JSON.stringify(text)}`, () => {
      expect(lineOf(text).markup).not.to.match(unsafe);
    });
  }

  it('renders emphasis and code', () => {
    expect(lineOf('**Lists** are `{data}`').markup).to.equal(
      '<strong>Lists</strong> are <code>{data}</code>',
    );
  });
});
