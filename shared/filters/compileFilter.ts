import {
  isList,
  isObject,
  parseExactJson,
  writeExactJson,
  type JsonObject,
  type JsonValue,
} from '../jsonSchema/json/exactJson.js';
import { comparableNumber } from '../jsonSchema/json/exactNumber.js';
import {
  filterFields,
  maximumFilterBytes,
  maximumFilterDepth,
  type Combination,
  type Condition,
  type Filter,
  type Member,
  comparisonOperators,
  equality,
  isPlainValue,
} from './operators.js';

/** The first error of a filter. */
export interface FilterFault {
  /** The path of the error, such as `filter.data.amount.$gt`. */
  readonly param: string;
  /** The rule, as a sentence without the path: "must be a number or a text". */
  readonly rule: string;
}

export type FilterCompilation =
  { readonly valid: true; readonly filter: Filter } | { readonly valid: false; readonly fault: FilterFault };

/** A place in the filter. The places of a filter on the event name fields of the event. */
interface Place {
  readonly path: string;
  /** The nesting depth of the value. The filter itself has depth 1. */
  readonly depth: number;
  readonly isEvent: boolean;
}

/** An error of the filter, which ends its compilation. */
class FaultError extends Error {
  override readonly name = 'FaultError';
  readonly fault: FilterFault;

  constructor({ path: param }: Place, rule: string) {
    super(`${param} ${rule}`);
    this.fault = { param, rule };
  }
}

const combinations = { $and: 'and', $or: 'or', $not: 'not' } as const;
const operators = [...comparisonOperators.keys(), '$exist', ...Object.keys(combinations)];

const present = { ifMissing: true, exist: null, comparisons: [], members: [], combinations: [] };

/** The compact text of a filter: without white space, and with each number as it was written. */
export function compactFilter(text: string): string {
  return writeExactJson(parseExactJson(text));
}

/**
 * Compiles a filter.
 * @param text valid JSON
 */
export function compileFilter(text: string): FilterCompilation {
  const place = { path: 'filter', depth: 1, isEvent: true };
  try {
    if (Buffer.byteLength(text) > maximumFilterBytes) {
      throw new FaultError(place, `must have at most ${String(maximumFilterBytes)} bytes`);
    }
    const value = parseExactJson(text, comparableNumber);
    if (!isObject(value)) {
      throw new FaultError(place, 'must be an object or null');
    }
    return { valid: true, filter: { condition: objectCondition(value, place) } };
  } catch (error) {
    if (error instanceof FaultError) {
      return { valid: false, fault: error.fault };
    }
    throw error;
  }
}

/** Whether a text is the JSON text of a valid filter. */
export function isFilter(text: string): boolean {
  try {
    return compileFilter(text).valid;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return false;
    }
    throw error;
  }
}

function conditionOf(value: JsonValue, place: Place): Condition {
  if (isPlainValue(value)) {
    if (place.isEvent) {
      throw new FaultError(place, 'must be an object');
    }
    return { ...present, ifMissing: false, comparisons: [equality(value)] };
  }
  checkDepth(place);
  if (!isObject(value)) {
    throw new FaultError(
      place,
      'must be a value or an object, because filters do not compare lists. Use $in for a choice of values',
    );
  }
  if (Object.keys(value).length === 0) {
    throw new FaultError(place, 'must have at least one member');
  }
  return objectCondition(value, place);
}

/** The condition of an object whose members name operators, or members of the value. */
function objectCondition(value: JsonObject, place: Place): Condition {
  // The members on `data` are last, because an event's data are parsed only if the other fields match.
  const entries = Object.entries(value).toSorted(
    ([one], [other]) => Number(place.isEvent && one === 'data') - Number(place.isEvent && other === 'data'),
  );
  const names = entries.filter(([name]) => !name.startsWith('$'));
  const parts = entries.map(([name, operand]) => {
    const at = { ...place, path: `${place.path}.${name}` };
    if (!name.startsWith('$')) {
      return memberPart(name, operand, at);
    }
    checkOperator(name, at, names);
    return operatorPart(name, operand, at);
  });
  return parts.reduce(both, present);
}

function memberPart(name: string, value: JsonValue, place: Place): Condition {
  if (place.isEvent && !filterFields.some((field) => field === name)) {
    throw new FaultError(place, `is not a field of an event. Use one of ${filterFields.join(', ')}`);
  }
  const condition = conditionOf(value, { ...place, depth: place.depth + 1, isEvent: false });
  const members: readonly Member[] = [{ name, condition }];
  return { ...present, ifMissing: condition.ifMissing, members };
}

function checkOperator(name: string, place: Place, names: readonly (readonly [string, JsonValue])[]): void {
  if (!operators.includes(name)) {
    throw new FaultError(place, `is not an operator. Use one of ${operators.join(', ')}`);
  }
  if (Object.hasOwn(combinations, name)) {
    return;
  }
  if (place.isEvent) {
    throw new FaultError(place, 'compares a value, so it must be below a field of the event');
  }
  if (names.length > 0) {
    throw new FaultError(
      place,
      `compares a value, so it must not be next to the member ${String(names[0]?.[0])}`,
    );
  }
}

function operatorPart(name: string, operand: JsonValue, place: Place): Condition {
  switch (name) {
    case '$and':
    case '$or':
      return combined({ kind: combinations[name], conditions: conditionsIn(operand, place) });
    case '$not':
      return combined({
        kind: 'not',
        conditions: [conditionOf(operand, { ...place, depth: place.depth + 1 })],
      });
    case '$exist':
      if (typeof operand !== 'boolean') {
        throw new FaultError(place, 'must be true or false');
      }
      return { ...present, ifMissing: !operand, exist: operand };
    default:
      return comparisonPart(name, operand, place);
  }
}

function comparisonPart(name: string, operand: JsonValue, place: Place): Condition {
  const compiled = comparisonOperators.get(name)?.(operand) ?? { rule: 'an operator' };
  if ('rule' in compiled) {
    throw new FaultError(place, `must be ${compiled.rule}`);
  }
  if (isList(operand)) {
    checkDepth({ ...place, depth: place.depth + 1 });
  }
  return { ...present, ifMissing: false, comparisons: [compiled.comparison] };
}

function conditionsIn(operand: JsonValue, place: Place): readonly Condition[] {
  if (!isList(operand) || operand.length === 0) {
    throw new FaultError(place, 'must be a list of at least one condition');
  }
  const depth = place.depth + 1;
  checkDepth({ ...place, depth });
  return operand.map((one, at) =>
    conditionOf(one, { ...place, path: `${place.path}[${String(at)}]`, depth: depth + 1 }),
  );
}

function combined(combination: Combination): Condition {
  const results = combination.conditions.map(({ ifMissing }) => ifMissing);
  const ifMissing = {
    and: () => !results.includes(false),
    or: () => results.includes(true),
    // A condition fails if its field is missing, and `$not` is a condition.
    not: () => false,
  }[combination.kind]();
  return { ...present, ifMissing, combinations: [combination] };
}

function both(one: Condition, other: Condition): Condition {
  return {
    ifMissing: one.ifMissing && other.ifMissing,
    exist: one.exist ?? other.exist,
    comparisons: [...one.comparisons, ...other.comparisons],
    members: [...one.members, ...other.members],
    combinations: [...one.combinations, ...other.combinations],
  };
}

function checkDepth(place: Place): void {
  if (place.depth > maximumFilterDepth) {
    throw new FaultError(place, `is nested deeper than ${String(maximumFilterDepth)} levels`);
  }
}
