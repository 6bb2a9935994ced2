import { expect } from 'chai';
import fc from 'fast-check';

import { elementTexts, jsonLines, memberText } from '../../../dashboard/api/jsonText.js';
import { itHolds } from '../../support/itHolds.js';

function laidOut(text: string): string {
  return [...jsonLines(text)]
    .map(({ depth, tokens }) => '  '.repeat(depth) + tokens.map((token) => token.text).join(''))
    .join('\n');
}

describe('the text of a member of a JSON object', () => {
  it('is returned unchanged', () => {
    const data = '{"amount": 12345678901234567890.10, "a":1, "a":2}';
    expect(memberText(`{"id":"evt_1","data":${data},"mode":"live"}`, 'data')).to.equal(data);
  });

  it('is found despite nested members and strings with the same name', () => {
    expect(memberText('{"a":{"data":1},"b":"data","c":["data"],"data":2}', 'data')).to.equal('2');
  });

  it('is found despite quotes and brackets in strings', () => {
    expect(memberText('{"a":"}\\",\\"data\\":1","data":"]\\\\"}', 'data')).to.equal('"]\\\\"');
  });

  it('is null if there is no such member', () => {
    expect(memberText('{"a":1}', 'data')).to.equal(null);
  });

  it('is found for every member of any object', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, fc.constantFrom(0, 2), (value, space) => {
        for (const [name, member] of Object.entries(value)) {
          const text = memberText(JSON.stringify(value, null, space), name) ?? '';
          expect(JSON.stringify(JSON.parse(text))).to.equal(JSON.stringify(member));
        }
      }),
    );
  });
});

describe('the formatted lines of a JSON text', () => {
  itHolds('are those of JSON.stringify', [fc.jsonValue()], (value) => {
    expect(laidOut(JSON.stringify(value))).to.equal(JSON.stringify(value, null, 2));
  });

  it('retain every digit and repeated members', () => {
    expect(laidOut('{"n":1.10e+0,"n":12345678901234567890}')).to.equal(
      '{\n  "n": 1.10e+0,\n  "n": 12345678901234567890\n}',
    );
  });

  it('need no recursion for deep data', () => {
    const depth = 50_000;
    const lines = [...jsonLines(`${'['.repeat(depth)}${']'.repeat(depth)}`)];
    expect(lines).to.have.lengthOf(2 * depth - 1);
  });

  it('distinguish names and strings', () => {
    const [, line] = jsonLines('{"a":"b"}');
    expect(line?.tokens.map(({ kind }) => kind)).to.deep.equal(['name', 'mark', 'string']);
  });
});

describe('the elements of a JSON array', () => {
  it('are the texts between its commas, unchanged', () => {
    const elements = ['{"a":[1,2],"b":"],["}', '12345678901234567890.10', '"x,y"', '[]', 'null'];
    expect(elementTexts(`[${elements.join(' , ')}]`)).to.deep.equal(elements);
    expect([elementTexts('[]'), elementTexts(' [ ] ')]).to.deep.equal([[], []]);
  });
});
