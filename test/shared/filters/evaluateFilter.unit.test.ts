import { expect } from 'chai';
import fc from 'fast-check';

import { runAtOnce } from '../../../shared/concurrency/sharedTurns.js';
import { compileFilter } from '../../../shared/filters/compileFilter.js';
import {
  createFilterInput,
  evaluateFilter,
  failedCondition,
} from '../../../shared/filters/evaluateFilter.js';
import type { Filter } from '../../../shared/filters/operators.js';
import {
  NumberText,
  referenceHolds,
  type ReferenceObject,
  type ReferenceValue,
} from '../../support/referenceFilter.js';

const created = new Date('2026-11-27T06:00:00.000Z');

function compiled(text: string): Filter {
  const compilation = compileFilter(text);
  if (!compilation.valid) {
    throw new Error(`${compilation.fault.param} ${compilation.fault.rule}`);
  }
  return compilation.filter;
}

/** @param data the JSON text of the event's data */
function holds(filter: string, data: string, tenantId: string | null = null): boolean {
  const event = { id: 'evt_1', type: 'order.completed', created, tenantId, data: Buffer.from(data) };
  return runAtOnce(evaluateFilter(compiled(filter), createFilterInput(event)));
}

describe('a filter', () => {
  const cases: readonly (readonly [title: string, filter: string, data: string, expected: boolean])[] = [
    ['compares a plain value by value', '{"data":{"a":1}}', '{"a":1.0}', true],
    ['compares a plain value by JSON type', '{"data":{"a":1}}', '{"a":"1"}', false],
    ['finds null', '{"data":{"a":null}}', '{"a":null}', true],
    ['does not find null in a missing field', '{"data":{"a":null}}', '{}', false],
    ['descends', '{"data":{"a":{"b":{"c":true}}}}', '{"a":{"b":{"c":true}}}', true],
    ['holds for an element of a list', '{"data":{"a":{"b":2}}}', '{"a":[{"b":1},{"b":2}]}', true],
    ['holds for an element of a nested list', '{"data":{"a":2}}', '{"a":[[1],[[2]]]}', true],
    ['needs one element for all operators', '{"data":{"a":{"$gt":1,"$lt":3}}}', '{"a":[0,4]}', false],
    ['holds for no element of an empty list', '{"data":{"a":{"$ne":1}}}', '{"a":[]}', false],
    ['finds an empty list', '{"data":{"a":{"$exist":true}}}', '{"a":[]}', true],
    [
      'compares the elements of a list that must exist',
      '{"data":{"a":{"$exist":true,"$eq":1}}}',
      '{"a":[1]}',
      true,
    ],
    ['fails for a missing field with $ne', '{"data":{"a":{"$ne":1}}}', '{}', false],
    ['fails for a missing field with $nin', '{"data":{"a":{"$nin":[1]}}}', '{}', false],
    ['fails for a missing field with $not', '{"data":{"a":{"$not":{"$eq":1}}}}', '{}', false],
    ['holds for a missing field with $exist', '{"data":{"a":{"$exist":false}}}', '{}', true],
    ['finds a missing field in a missing object', '{"data":{"a":{"b":{"$exist":false}}}}', '{}', true],
    ['finds a missing field below a text', '{"data":{"a":{"b":{"$exist":false}}}}', '{"a":"b"}', true],
    ['combines the results of a missing field', '{"data":{"a":{"$or":[{"$exist":false},1]}}}', '{}', true],
    ['negates a filter', '{"$not":{"data":{"a":1}}}', '{}', true],
    [
      'joins names and combinations',
      '{"type":"order.completed","$or":[{"data":{"a":1}},{"data":{"a":2}}]}',
      '{"a":2}',
      true,
    ],
    [
      'joins names and combinations below a field',
      '{"data":{"a":1,"$or":[{"b":1},{"b":2}]}}',
      '{"a":1,"b":2}',
      true,
    ],
    ['does not order a text and a number', '{"data":{"a":{"$gt":1}}}', '{"a":"2"}', false],
    [
      'orders texts by UTF-16 code units',
      '{"data":{"a":{"$gt":"\\uffff"}}}',
      '{"a":"\\ud800\\udc00"}',
      false,
    ],
    ['has no order of objects', '{"data":{"a":{"$gte":1}}}', '{"a":{}}', false],
    ['finds an object unequal to a value', '{"data":{"a":{"$ne":1}}}', '{"a":{}}', true],
    ['finds the value in a text', '{"data":{"a":{"$in":"north, south"}}}', '{"a":"south"}', true],
    ['does not find a longer value in a text', '{"data":{"a":{"$in":"south"}}}', '{"a":"southern"}', false],
    ['finds a text in the value', '{"data":{"a":{"$contains":"abcabcabd"}}}', '{"a":"abcabcabcabd"}', true],
    ['finds a short text in the value', '{"data":{"a":{"$contains":"é"}}}', '{"a":"caf\\u00e9"}', true],
    ['compares the beginning', '{"data":{"a":{"$startsWith":"ab"}}}', '{"a":"abc"}', true],
    ['compares the end', '{"data":{"a":{"$endsWith":"bc"}}}', '{"a":"abc"}', true],
    ['knows __proto__ as a name', '{"data":{"__proto__":{"x":1}}}', '{"__proto__":{"x":1}}', true],
    ['finds no inherited members', '{"data":{"toString":{"$exist":true}}}', '{"a":1}', false],
    ['takes the last of repeated names', '{"data":{"a":2}}', '{"a":1,"a":2}', true],
    ['distinguishes numbers beyond 2^53', '{"data":{"a":9007199254740993}}', '{"a":9007199254740992}', false],
    ['finds a number beyond 2^53', '{"data":{"a":9007199254740993}}', '{"a":9007199254740993}', true],
    ['orders numbers beyond 2^53', '{"data":{"a":{"$gt":9007199254740992}}}', '{"a":9007199254740993}', true],
    ['equates notations of a number', '{"data":{"a":1e2}}', '{"a":100}', true],
    [
      'equates notations of a long number',
      '{"data":{"a":{"$in":[12345678901234567890e2]}}}',
      '{"a":1234567890123456789000}',
      true,
    ],
    ['equates zeros', '{"data":{"a":0}}', '{"a":-0.0e5}', true],
    ['orders numbers beyond the range of JavaScript', '{"data":{"a":{"$lt":1e401}}}', '{"a":1e400}', true],
    [
      'distinguishes long fractions',
      '{"data":{"a":{"$gt":0.1}}}',
      '{"a":0.10000000000000000000000000001}',
      true,
    ],
    [
      'is not confused by digits in texts',
      '{"data":{"a":1,"b":"12345678901234567890"}}',
      '{"a":1,"b":"12345678901234567890"}',
      true,
    ],
  ];
  for (const [title, filter, data, expected] of cases) {
    it(title, () => {
      expect(holds(filter, data)).to.equal(expected);
    });
  }

  it('compares the fields of the event', () => {
    expect(holds('{"id":"evt_1","created":{"$gte":"2026-11-27"},"tenantId":null}', '{}')).to.equal(true);
    expect(holds('{"tenantId":{"$startsWith":"cus_"}}', '{}', 'cus_1')).to.equal(true);
    expect(holds('{"type":{"$in":["order.created"]}}', '{}')).to.equal(false);
  });

  it('agrees with the reference evaluator on 20,000 pairs of filter and event', () => {
    let matches = 0;
    const check = (filters: readonly ReferenceObject[], events: readonly ReferenceObject[]) => {
      const programs = filters.map((filter) => [filter, compiled(textOf(filter))] as const);
      for (const event of events) {
        const input = createFilterInput(eventOf(event));
        for (const [filter, program] of programs) {
          const expected = referenceHolds(filter, event);
          matches += Number(expected);
          if (runAtOnce(evaluateFilter(program, input)) !== expected) {
            throw new Error(`${textOf(filter)} must be ${String(expected)} for ${textOf(event)}`);
          }
        }
      }
    };
    const ten = { minLength: 10, maxLength: 10 };
    fc.assert(fc.property(fc.array(filters, ten), fc.array(events, ten), check), { numRuns: 200 });
    // Pairs that never match would compare little.
    expect(matches).to.be.within(1_000, 19_000);
  }).timeout(120_000);
});

describe('the condition of a filter that an event fails', () => {
  const failed = (filter: string, data: string) => {
    const event = { id: 'evt_1', type: 'order.completed', created, tenantId: null, data: Buffer.from(data) };
    return runAtOnce(failedCondition(compiled(filter), createFilterInput(event)));
  };
  const cases: readonly (readonly [filter: string, data: string, path: string | null])[] = [
    ['{"data":{"a":1}}', '{"a":1}', null],
    ['{"type":"b","data":{"a":1}}', '{"a":2}', 'filter.type'],
    ['{"data":{"a":{"b":{"$gte":2}}}}', '{"a":{"b":1}}', 'filter.data.a.b'],
    ['{"data":{"a":1,"b":{"c":2}}}', '{"a":1}', 'filter.data.b'],
    ['{"data":{"a":{"b":1}}}', '{"a":[{"b":2}]}', 'filter.data.a'],
    ['{"data":{"a":{"$exist":false}}}', '{"a":1}', 'filter.data.a'],
    ['{"$and":[{"type":"order.completed"},{"data":{"a":1}}]}', '{"a":2}', 'filter.$and[1].data.a'],
    ['{"data":{"a":1,"$or":[{"b":1},{"b":2}]}}', '{"a":1,"b":3}', 'filter.data.$or'],
    ['{"data":{"a":{"$not":1}}}', '{"a":1}', 'filter.data.a.$not'],
    ['{"data":{"a":9007199254740993}}', '{"a":9007199254740992}', 'filter.data.a'],
  ];
  for (const [filter, data, path] of cases) {
    it(`is ${String(path)} for ${filter} and ${data}`, () => {
      expect(failed(filter, data)).to.equal(path);
    });
  }

  it('exists if and only if the filter does not hold', () => {
    fc.assert(
      fc.property(filters, events, (filter, event) => {
        const [program, input] = [compiled(textOf(filter)), createFilterInput(eventOf(event))];
        const path = runAtOnce(failedCondition(program, input));
        expect(path === null).to.equal(runAtOnce(evaluateFilter(program, input)));
      }),
      { numRuns: 2000 },
    );
  });
});

function eventOf(event: ReferenceObject) {
  const [type, tenantId] = [event.get('type'), event.get('tenantId')];
  return {
    ...{ id: 'evt_1', type: typeof type === 'string' ? type : '', created },
    tenantId: typeof tenantId === 'string' ? tenantId : null,
    data: Buffer.from(textOf(event.get('data') ?? null)),
  };
}

function textOf(value: ReferenceValue): string {
  if (value instanceof NumberText) {
    return value.text;
  }
  if (value instanceof Map) {
    const object: ReferenceObject = value;
    const members = [...object].map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`);
    return `{${members.join(',')}}`;
  }
  return Array.isArray(value) ? `[${value.map(textOf).join(',')}]` : JSON.stringify(value);
}

const names = fc.constantFrom('a', 'b', '__proto__', 'length');
const texts = fc.oneof(fc.constantFrom('', 'a', 'ab', 'aba', 'abaabaabab', '1'), fc.string({ maxLength: 3 }));
const numbers = fc
  .oneof(
    fc.constantFrom(
      '0',
      '-0',
      '1',
      '1.0',
      '10e-1',
      '9007199254740992',
      '9007199254740993',
      '1e400',
      '-1E+400',
    ),
    fc
      .tuple(
        fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
        fc.constantFrom('', '.5', '.50', 'e3', 'e-30'),
      )
      .map(([integer, end]) => `${String(integer)}${end}`),
    fc.integer({ min: -3, max: 3 }).map(String),
  )
  .map((text) => new NumberText(text));
const plain: fc.Arbitrary<ReferenceValue> = fc.oneof(fc.constantFrom(null, true, false), texts, numbers);

const { value: values } = fc.letrec<{ value: ReferenceValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    plain,
    fc.array(tie('value'), { maxLength: 3 }),
    objectsOf(tie('value'), 0, 3),
  ),
}));

function objectsOf(
  ofMember: fc.Arbitrary<ReferenceValue>,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<ReferenceObject> {
  const members = fc.uniqueArray(fc.tuple(names, ofMember), {
    minLength,
    maxLength,
    selector: ([name]) => name,
  });
  return members.map((entries) => new Map(entries));
}

const events: fc.Arbitrary<ReferenceObject> = fc
  .record({
    type: fc.constantFrom('a', 'a.b'),
    tenantId: fc.constantFrom(null, 'a'),
    data: objectsOf(values, 0, 4),
  })
  .map(({ type, tenantId, data }) => {
    const event = new Map<string, ReferenceValue>([
      ['id', 'evt_1'],
      ['type', type],
    ]);
    return event.set('created', created.toISOString()).set('tenantId', tenantId).set('data', data);
  });

const comparisons: fc.Arbitrary<readonly [string, ReferenceValue]> = fc.oneof(
  fc.tuple(fc.constantFrom('$eq', '$ne', '$neq'), plain),
  fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), fc.oneof(numbers, texts)),
  fc.tuple(fc.constantFrom('$in', '$nin'), fc.oneof(fc.array(plain, { maxLength: 4 }), texts)),
  fc.tuple(fc.constant('$exist'), fc.boolean()),
  fc.tuple(fc.constantFrom('$startsWith', '$endsWith', '$contains'), texts),
);

/** Conditions, of which each level of the filter has fewer. The limit of nesting is 8 levels. */
function conditions(depth: number): fc.Arbitrary<ReferenceValue> {
  if (depth === 0) {
    return fc.oneof(plain, objectOf(comparisons));
  }
  const inner = conditions(depth - 1);
  const members = fc.tuple(names, inner);
  return fc.oneof(
    plain,
    objectOf(fc.oneof(comparisons, combinations(inner))),
    objectOf(fc.oneof(members, members, combinationsWithExist(inner))),
  );
}

function combinationsWithExist(inner: fc.Arbitrary<ReferenceValue>) {
  return fc.oneof(combinations(inner), fc.tuple(fc.constant('$and'), fc.tuple(inner)));
}

function combinations(inner: fc.Arbitrary<ReferenceValue>): fc.Arbitrary<readonly [string, ReferenceValue]> {
  const lists = fc.array(inner, { minLength: 1, maxLength: 3 });
  return fc.oneof(fc.tuple(fc.constantFrom('$and', '$or'), lists), fc.tuple(fc.constant('$not'), inner));
}

function objectOf(members: fc.Arbitrary<readonly [string, ReferenceValue]>): fc.Arbitrary<ReferenceObject> {
  return fc
    .uniqueArray(members, { minLength: 1, maxLength: 3, selector: ([name]) => name })
    .map((entries) => new Map(entries));
}

function filtersOfDepth(depth: number): fc.Arbitrary<ReferenceObject> {
  const ofData: fc.Arbitrary<readonly [string, ReferenceValue]> = fc.tuple(
    fc.constant('data'),
    conditions(depth + 1),
  );
  const ofType: fc.Arbitrary<readonly [string, ReferenceValue]> = fc.tuple(
    fc.constantFrom('type', 'tenantId'),
    conditions(0),
  );
  const fields = fc.oneof({ arbitrary: ofData, weight: 3 }, ofType);
  return depth === 0
    ? objectOf(fields)
    : objectOf(fc.oneof({ arbitrary: fields, weight: 3 }, combinations(filtersOfDepth(depth - 1))));
}

const filters = filtersOfDepth(1);
