import { expect } from 'chai';
import fc from 'fast-check';

import {
  MalformedJsonError,
  splitJsonList,
  splitJsonObject,
} from '../../../../shared/domain/events/jsonParts.js';
import { invalidJson, otherJson, validData } from '../../../api/support/jsonCases.js';
import { itHolds } from '../../../support/itHolds.js';

/** The texts of all values in a list. */
function elementsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [...splitJsonList(bytes)].map((part) =>
    part.kind === 'element' ? bytes.toString('utf8', part.value.start, part.value.end) : part.kind,
  );
}

/** The members of an object with their values, and the elements of lists. */
function partsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const textOf = ({ start, end }: { start: number; end: number }) => bytes.toString('utf8', start, end);
  return [...splitJsonObject(bytes)].map((part) => {
    switch (part.kind) {
      case 'member':
        return `${textOf(part.name)}=${textOf(part.value)}`;
      case 'list':
        return `${textOf(part.name)}[]`;
      case 'element':
        return textOf(part.value);
    }
  });
}

/** Whether splitting and then parsing each part finds a mistake, as a caller does. */
function isRejected(text: string): boolean {
  const bytes = Buffer.from(text);
  const parse = ({ start, end }: { start: number; end: number }) =>
    JSON.parse(bytes.toString('utf8', start, end)) as unknown;
  try {
    for (const part of splitJsonObject(bytes)) {
      if (part.kind !== 'element') {
        parse(part.name);
      }
      if (part.kind !== 'list') {
        parse(part.value);
      }
    }
    return false;
  } catch (error) {
    if (error instanceof MalformedJsonError || error instanceof SyntaxError || error instanceof RangeError) {
      return true;
    }
    throw error;
  }
}

describe('splitJsonList', () => {
  it('finds each element with its own bytes', () => {
    expect(elementsOf(' [ {"a":[1, 2]} ,\n"]}," , 1.0,null,[ ] , {} ] ')).to.deep.equal([
      '{"a":[1, 2]}',
      '"]},"',
      '1.0',
      'null',
      '[ ]',
      '{}',
    ]);
  });

  it('finds no element in an empty list', () => {
    expect(elementsOf('[ ]')).to.deep.equal([]);
  });

  itHolds(
    'finds the elements of any list',
    [fc.array(fc.jsonValue()), fc.constantFrom('', ' ', '\n\t')],
    (values, space) => {
      const texts = values.map((value) => JSON.stringify(value));
      expect(elementsOf(`[${texts.map((text) => space + text + space).join(',')}]`)).to.deep.equal(texts);
    },
  );
});

describe('splitJsonObject', () => {
  it('finds the members, and the elements of lists', () => {
    expect(partsOf(' {"a" : 1 , "b":[ {"c":2},3 ],"d":{"e":[4]}, "f":[]} ')).to.deep.equal([
      '"a"=1',
      '"b"[]',
      '{"c":2}',
      '3',
      '"d"={"e":[4]}',
      '"f"[]',
    ]);
  });

  for (const text of validData) {
    it(`accepts valid JSON: ${JSON.stringify(text.slice(0, 60))}`, () => {
      expect(isRejected(text)).to.equal(false);
    });
  }

  for (const text of [...invalidJson, ...otherJson]) {
    it(`rejects text that is no JSON object: ${JSON.stringify(text.slice(0, 60))}`, () => {
      expect(isRejected(text)).to.equal(true);
    });
  }

  itHolds(
    'rejects every object that is cut off or has a byte too many',
    [fc.dictionary(fc.string(), fc.jsonValue()), fc.nat()],
    (value, cut) => {
      const text = Buffer.from(JSON.stringify(value));
      const shorter = text.subarray(0, cut % text.length).toString('latin1');
      expect([isRejected(shorter), isRejected(`${text.toString()}]`)]).to.deep.equal([true, true]);
    },
  );
});
