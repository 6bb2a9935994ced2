import { expect } from 'chai';
import fc from 'fast-check';

import { jsonLines, memberText } from '../../../dashboard/api/jsonText.js';

function laidOut(text: string): string {
  return [...jsonLines(text)]
    .map(({ depth, tokens }) => '  '.repeat(depth) + tokens.map((token) => token.text).join(''))
    .join('\n');
}

describe('memberText', () => {
  it('gives a member as it was written', () => {
    const data = '{"amount": 12345678901234567890.10, "a":1, "a":2}';
    expect(memberText(`{"id":"evt_1","data":${data},"mode":"live"}`, 'data')).to.equal(data);
  });

  it('takes neither a name further down nor a string for the member', () => {
    expect(memberText('{"a":{"data":1},"b":"data","c":["data"],"data":2}', 'data')).to.equal('2');
  });

  it('is not misled by quotes and brackets in strings', () => {
    expect(memberText('{"a":"}\\",\\"data\\":1","data":"]\\\\"}', 'data')).to.equal('"]\\\\"');
  });

  it('gives null where there is no such member', () => {
    expect(memberText('{"a":1}', 'data')).to.equal(null);
  });

  it('gives every member of any object', () => {
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

describe('jsonLines', () => {
  it('lays JSON out as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(laidOut(JSON.stringify(value))).to.equal(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('keeps every digit, and members that are there twice', () => {
    expect(laidOut('{"n":1.10e+0,"n":12345678901234567890}')).to.equal(
      '{\n  "n": 1.10e+0,\n  "n": 12345678901234567890\n}',
    );
  });

  it('needs no stack for deep data', () => {
    const depth = 50_000;
    const lines = [...jsonLines(`${'['.repeat(depth)}${']'.repeat(depth)}`)];
    expect(lines).to.have.lengthOf(2 * depth - 1);
  });

  it('tells names from strings', () => {
    const [, line] = jsonLines('{"a":"b"}');
    expect(line?.tokens.map(({ kind }) => kind)).to.deep.equal(['name', 'mark', 'string']);
  });
});
