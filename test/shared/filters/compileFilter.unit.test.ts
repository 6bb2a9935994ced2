import { expect } from 'chai';

import { compactFilter, compileFilter, isFilter } from '../../../shared/filters/compileFilter.js';

/** The path of the error of a filter, or null for a valid filter. */
function faultOf(filter: string): string | null {
  const compilation = compileFilter(filter);
  return compilation.valid ? null : compilation.fault.param;
}

/** A filter whose objects are nested in so many levels. */
function nested(levels: number): string {
  return `{"data":${'{"a":'.repeat(levels - 2)}{"a":1}${'}'.repeat(levels - 1)}`;
}

describe('the compilation of a filter', () => {
  const faults: readonly (readonly [what: string, filter: string, path: string])[] = [
    ['a list', '[]', 'filter'],
    ['a text', '"a"', 'filter'],
    ['an unknown field of the event', '{"dta":1}', 'filter.dta'],
    ['an unknown field of the event in a combination', '{"$or":[{"id":"a"},{"x":1}]}', 'filter.$or[1].x'],
    ['an unknown operator', '{"data":{"a":{"$gtt":1}}}', 'filter.data.a.$gtt'],
    ['a regular expression', '{"data":{"a":{"$regex":".*"}}}', 'filter.data.a.$regex'],
    ['an operator on the event', '{"$eq":1}', 'filter.$eq'],
    ['a value in a combination on the event', '{"$and":[1]}', 'filter.$and[0]'],
    ['a wrong operand of $gt', '{"data":{"amount":{"$gt":true}}}', 'filter.data.amount.$gt'],
    ['a wrong operand of $exist', '{"data":{"a":{"$exist":1}}}', 'filter.data.a.$exist'],
    ['a wrong operand of $eq', '{"data":{"a":{"$eq":{}}}}', 'filter.data.a.$eq'],
    ['a wrong operand of $startsWith', '{"data":{"a":{"$startsWith":1}}}', 'filter.data.a.$startsWith'],
    ['a wrong operand of $in', '{"data":{"a":{"$in":5}}}', 'filter.data.a.$in'],
    ['a list in the operand of $nin', '{"data":{"a":{"$nin":[[]]}}}', 'filter.data.a.$nin'],
    ['an empty combination', '{"data":{"a":{"$or":[]}}}', 'filter.data.a.$or'],
    ['a combination that is no list', '{"data":{"a":{"$and":{}}}}', 'filter.data.a.$and'],
    ['a list as a value', '{"data":{"a":[1]}}', 'filter.data.a'],
    ['an empty object as a value', '{"data":{"a":{}}}', 'filter.data.a'],
    ['an operator next to a name', '{"data":{"a":{"$gt":1,"b":1}}}', 'filter.data.a.$gt'],
    ['nine levels', nested(9), 'filter.data.a.a.a.a.a.a.a'],
    ['more than 4 KiB', `{"data":{"a":"${'a'.repeat(4096)}"}}`, 'filter'],
  ];
  for (const [what, filter, path] of faults) {
    it(`rejects ${what} at its path`, () => {
      expect(faultOf(filter)).to.equal(path);
    });
  }

  it('accepts eight levels', () => {
    expect(faultOf(nested(8))).to.equal(null);
  });

  it('accepts 4 KiB', () => {
    expect(faultOf(`{"data":{"a":"${'a'.repeat(4096 - 17)}"}}`)).to.equal(null);
  });

  it('accepts each operator', () => {
    const operators =
      '{"$eq":1,"$ne":1,"$neq":1,"$gt":1,"$gte":"a","$lt":1,"$lte":1,"$in":[1,"a",null],"$nin":"a",' +
      '"$exist":true,"$startsWith":"a","$endsWith":"a","$contains":"a","$and":[1],"$or":[{"b":1}],"$not":1}';
    expect(faultOf(`{"data":{"a":${operators}}}`)).to.equal(null);
  });

  it('keeps the digits of numbers in the compact text', () => {
    expect(compactFilter('{ "data" : { "a" : 12345678901234567890.10 } }')).to.equal(
      '{"data":{"a":12345678901234567890.10}}',
    );
  });

  it('knows that other texts are no filter', () => {
    expect([isFilter('{'), isFilter('1'), isFilter('{"data":{"a":1}}')]).to.deep.equal([false, false, true]);
  });
});
