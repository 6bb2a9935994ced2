import { createTextSearch } from '../core/textSearch.js';
import { isNumber, type JsonValue } from '../jsonSchema/json/exactJson.js';
import { canonicalNumber, compareNumbers, ExactNumber } from '../jsonSchema/json/exactNumber.js';

/** A value that is no list and no object. Numbers are those of `comparableNumber`. */
export type PlainValue = null | boolean | string | number | ExactNumber;

/** An operator with an operand, or the rule that the operand breaks. */
export type CompiledOperator = { readonly comparison: Comparison } | { readonly rule: string };

type CompileOperator = (operand: JsonValue) => CompiledOperator;

/** The operators that compare a value with an operand. */
export const comparisonOperators: ReadonlyMap<string, CompileOperator> = new Map([
  ['$eq', withPlainValue(equality)],
  ['$ne', withPlainValue((operand) => negated(equality(operand)))],
  ['$neq', withPlainValue((operand) => negated(equality(operand)))],
  ['$gt', withOrdered((order) => order > 0)],
  ['$gte', withOrdered((order) => order >= 0)],
  ['$lt', withOrdered((order) => order < 0)],
  ['$lte', withOrdered((order) => order <= 0)],
  ['$in', withChoice((comparison) => comparison)],
  ['$nin', withChoice(negated)],
  ['$startsWith', withText((operand) => (value) => value.startsWith(operand))],
  ['$endsWith', withText((operand) => (value) => value.endsWith(operand))],
  ['$contains', withText(createTextSearch)],
]);

export function isPlainValue(value: JsonValue): value is PlainValue {
  return typeof value !== 'object' || value === null || value instanceof ExactNumber;
}

/** The comparison for equality of value and JSON type. */
export function equality(operand: PlainValue): Comparison {
  return operand instanceof ExactNumber
    ? (value) => isSameNumber(value, operand)
    : (value) => value === operand;
}

function isSameNumber(value: JsonValue, operand: ExactNumber): boolean {
  return value instanceof ExactNumber && compareNumbers(value, operand) === 0;
}

function negated(comparison: Comparison): Comparison {
  return (value) => !comparison(value);
}

function withPlainValue(compile: (operand: PlainValue) => Comparison): CompileOperator {
  return (operand) =>
    isPlainValue(operand)
      ? { comparison: compile(operand) }
      : { rule: 'a text, a number, true, false or null' };
}

/** Two numbers are ordered by value, and two texts by their UTF-16 code units. */
function withOrdered(isWanted: (order: number) => boolean): CompileOperator {
  return (operand) => {
    if (isNumber(operand)) {
      return { comparison: (value) => isNumber(value) && isWanted(compareNumbers(value, operand)) };
    }
    return typeof operand === 'string'
      ? { comparison: (value) => typeof value === 'string' && isWanted(compareTexts(value, operand)) }
      : { rule: 'a number or a text' };
  };
}

function compareTexts(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

function withText(compile: (operand: string) => (value: string) => boolean): CompileOperator {
  return (operand) => {
    if (typeof operand !== 'string') {
      return { rule: 'a text' };
    }
    const holds = compile(operand);
    return { comparison: (value) => typeof value === 'string' && holds(value) };
  };
}

function withChoice(finish: (comparison: Comparison) => Comparison): CompileOperator {
  return (operand) => {
    const comparison =
      typeof operand === 'string' ? occurrence(operand) : Array.isArray(operand) ? choice(operand) : null;
    return comparison === null
      ? { rule: 'a list of texts, numbers, true, false or null, or a text' }
      : { comparison: finish(comparison) };
  };
}

/** The comparison that holds for a text that occurs in the operand. */
function occurrence(operand: string): Comparison {
  return (value) =>
    typeof value === 'string' && value.length <= operand.length && createTextSearch(value)(operand);
}

/** The comparison that holds for a value of a list; null if the list contains a list or an object. */
function choice(operand: readonly JsonValue[]): Comparison | null {
  if (!operand.every(isPlainValue)) {
    return null;
  }
  // A number that JavaScript preserves is never an `ExactNumber`, so each number has one form.
  const values = new Set<JsonValue>(operand.filter((value) => !(value instanceof ExactNumber)));
  const numbers = new Set(
    operand.filter((value) => value instanceof ExactNumber).map((number) => canonicalNumber(number)),
  );
  return (value) => (value instanceof ExactNumber ? numbers.has(canonicalNumber(value)) : values.has(value));
}

/** The maximum size of a filter's compact JSON text, in bytes. */
export const maximumFilterBytes = 4 * 1024;
/** The maximum nesting depth of a filter's objects and lists. */
export const maximumFilterDepth = 8;

/** The fields of an event that a filter can name. */
export const filterFields = ['id', 'type', 'created', 'tenantId', 'data'] as const;

/** A comparison with a value that exists and is no list. */
type Comparison = (value: JsonValue) => boolean;

/** A condition on a place in the event. All parts must hold for the same value. */
export interface Condition {
  /** The result for a missing field, which depends on no event. */
  readonly ifMissing: boolean;
  /** Whether the field must exist; null without `$exist`. For a list, this concerns the list and not its elements. */
  readonly exist: boolean | null;
  readonly comparisons: readonly Comparison[];
  readonly members: readonly Member[];
  readonly combinations: readonly Combination[];
}

/** A condition on a member of an object. */
export interface Member {
  readonly name: string;
  readonly condition: Condition;
}

/** The operators `$and`, `$or` and `$not`. */
export interface Combination {
  readonly kind: 'and' | 'or' | 'not';
  /** The operator `$not` has one condition. */
  readonly conditions: readonly Condition[];
}

/** A compiled filter. */
export interface Filter {
  /** The condition on the event. Its members name fields of the event. */
  readonly condition: Condition;
}
