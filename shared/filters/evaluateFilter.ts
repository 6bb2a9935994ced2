import type { Steps } from '../concurrency/sharedTurns.js';
import type { AcceptedEvent } from '../domain/events/event.js';
import { isList, isObject, type JsonValue, parseInSteps } from '../jsonSchema/json/exactJson.js';
import { comparableNumber, hasLongNumbers } from '../jsonSchema/json/exactNumber.js';
import type { Combination, Condition, Filter } from './operators.js';

/** The work since the last pause. A unit takes about 20 ns. */
interface Meter {
  units: number;
}

/** The units after which the caller can pause. */
const unitsOfStep = 2000;
/** The characters of a text that a comparison reads in one unit. */
const charactersOfUnit = 16;

/**
 * Whether a filter holds for an event. Each condition visits each value of the event at most once. So the time is linear
 * in the size of the event and in the size of the filter.
 */
export function* evaluateFilter(filter: Filter, input: FilterInput): Steps<boolean> {
  return yield* holdsForEvent(filter.condition, input, { units: 0 });
}

function* holdsForEvent(condition: Condition, input: FilterInput, meter: Meter): Steps<boolean> {
  for (const { name, condition: ofField } of condition.members) {
    const field = name === 'data' ? (input.data() ?? (yield* input.parse())) : input.field(name);
    if (
      !(isSimple(ofField, field)
        ? comparisonsHold(ofField, field, meter)
        : yield* holds(ofField, field, meter))
    ) {
      return false;
    }
  }
  for (const combination of condition.combinations) {
    if (!(yield* combinationHolds(combination, meter, (one) => holdsForEvent(one, input, meter)))) {
      return false;
    }
  }
  return true;
}

/** Whether a condition holds for a value that exists. */
function* holds(condition: Condition, value: JsonValue, meter: Meter): Steps<boolean> {
  if (condition.exist === false) {
    return false;
  }
  return isList(value)
    ? yield* holdsForAny(condition, value, meter)
    : comparisonsHold(condition, value, meter) &&
        (yield* membersHold(condition, value, meter)) &&
        (yield* combinationsHold(condition, value, meter));
}

/** Whether a condition holds for an element of a list. A condition that only requires a field holds for any list. */
function* holdsForAny(condition: Condition, list: readonly JsonValue[], meter: Meter): Steps<boolean> {
  const { comparisons, members, combinations } = condition;
  if (comparisons.length + members.length + combinations.length === 0) {
    return true;
  }
  for (const element of list) {
    meter.units += 1;
    if (meter.units >= unitsOfStep) {
      meter.units = 0;
      yield;
    }
    const isTrue = isSimple(condition, element)
      ? comparisonsHold(condition, element, meter)
      : yield* holds(condition, element, meter);
    if (isTrue) {
      return true;
    }
  }
  return false;
}

/** Whether a condition has only comparisons, which need no pause. */
function isSimple({ exist, members, combinations }: Condition, value: JsonValue): boolean {
  return exist !== false && members.length === 0 && combinations.length === 0 && !Array.isArray(value);
}

function comparisonsHold({ comparisons }: Condition, value: JsonValue, meter: Meter): boolean {
  const units = typeof value === 'string' ? 1 + value.length / charactersOfUnit : 1;
  for (const comparison of comparisons) {
    meter.units += units;
    if (!comparison(value)) {
      return false;
    }
  }
  return true;
}

function* membersHold({ members }: Condition, value: JsonValue, meter: Meter): Steps<boolean> {
  for (const { name, condition } of members) {
    meter.units += 1;
    if (!(yield* memberHolds(condition, memberOf(value, name), meter))) {
      return false;
    }
  }
  return true;
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function* memberHolds(condition: Condition, member: JsonValue | undefined, meter: Meter): Steps<boolean> {
  if (member === undefined) {
    return condition.ifMissing;
  }
  return isSimple(condition, member)
    ? comparisonsHold(condition, member, meter)
    : yield* holds(condition, member, meter);
}

function* combinationsHold({ combinations }: Condition, value: JsonValue, meter: Meter): Steps<boolean> {
  for (const combination of combinations) {
    if (!(yield* combinationHolds(combination, meter, (condition) => holds(condition, value, meter)))) {
      return false;
    }
  }
  return true;
}

function* combinationHolds(
  { kind, conditions }: Combination,
  meter: Meter,
  evaluate: (condition: Condition) => Steps<boolean>,
): Steps<boolean> {
  // The first result of this kind decides: a false condition of `$and` and `$not`, and a true condition of `$or`.
  const decisive = kind === 'or';
  for (const condition of conditions) {
    meter.units += 1;
    if (meter.units >= unitsOfStep) {
      meter.units = 0;
      yield;
    }
    if ((yield* evaluate(condition)) === decisive) {
      return kind !== 'and';
    }
  }
  return kind === 'and';
}

/**
 * The path of the first condition that an event fails, such as `filter.data.amount`; null if the filter holds. The path
 * ends at a list, `$or` or `$not`, because no single condition below them decides.
 */
export function* failedCondition(filter: Filter, input: FilterInput): Steps<string | null> {
  const meter = { units: 0 };
  const [id, type, created] = [input.field('id'), input.field('type'), input.field('created')];
  const data = input.data() ?? (yield* input.parse());
  const event: JsonValue = { id, type, created, tenantId: input.field('tenantId'), data };
  return (yield* holds(filter.condition, event, meter))
    ? null
    : yield* failedIn(filter.condition, event, { path: 'filter', meter });
}

interface Failing {
  readonly path: string;
  readonly meter: Meter;
}

/** The path of a condition below a failed condition. */
function* failedIn(
  { members, combinations }: Condition,
  value: JsonValue | undefined,
  { path, meter }: Failing,
): Steps<string> {
  if (value === undefined || isList(value)) {
    return path;
  }
  for (const { name, condition } of members) {
    const member = memberOf(value, name);
    if (!(yield* memberHolds(condition, member, meter))) {
      return yield* failedIn(condition, member, { path: `${path}.${name}`, meter });
    }
  }
  for (const combination of combinations) {
    if (!(yield* combinationHolds(combination, meter, (one) => holds(one, value, meter)))) {
      return yield* failedInCombination(combination, value, { path, meter });
    }
  }
  return path;
}

function* failedInCombination(
  { kind, conditions }: Combination,
  value: JsonValue,
  { path, meter }: Failing,
): Steps<string> {
  for (const [at, condition] of conditions.entries()) {
    if (kind === 'and' && !(yield* holds(condition, value, meter))) {
      return yield* failedIn(condition, value, { path: `${path}.$and[${String(at)}]`, meter });
    }
  }
  return `${path}.$${kind}`;
}

/** The fields of an event that filters read. All filters of the event share the parsed data. */
export interface FilterInput {
  /** Returns a field other than `data`. */
  readonly field: (name: string) => JsonValue;
  /** Returns the data, which the first call parses; undefined if they have long numbers, until `parse` has ended. */
  readonly data: () => JsonValue | undefined;
  /** Parses data with long numbers. The built-in parser is faster, but it rounds long numbers. */
  readonly parse: () => Steps<JsonValue>;
}

export type FilteredEvent = Pick<AcceptedEvent, 'id' | 'type' | 'created' | 'tenantId' | 'data'>;

/** Creates the input of filters without any work. */
export function createFilterInput(event: FilteredEvent): FilterInput {
  let parsed: JsonValue | undefined;
  return {
    field: (name) => fieldOf(event, name),
    data: () => {
      parsed ??= hasLongNumbers(event.data) ? undefined : parseShortNumbers(event.data);
      return parsed;
    },
    parse: function* () {
      parsed ??= yield* parseInSteps(event.data.toString('utf8'), comparableNumber);
      return parsed;
    },
  };
}

function fieldOf({ id, type, created, tenantId }: FilteredEvent, name: string): JsonValue {
  switch (name) {
    case 'id':
      return id;
    case 'type':
      return type;
    case 'created':
      return created.toISOString();
    case 'tenantId':
      return tenantId;
    default:
      throw new Error(`a filter reads the unknown field ${name}`);
  }
}

function parseShortNumbers(data: Buffer): JsonValue {
  const value: unknown = JSON.parse(data.toString('utf8'));
  return isJsonValue(value) ? value : null;
}

/** `JSON.parse` returns each JSON value, and never `undefined`. */
function isJsonValue(value: unknown): value is JsonValue {
  return value !== undefined;
}
