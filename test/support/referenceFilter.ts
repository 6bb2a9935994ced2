/**
 * A plain evaluator of filters, written from the grammar in the platform contract alone. Property tests compare it with
 * the evaluator of the service. It knows no text and no parser: a test builds filters and events as values.
 */

/** The text of a JSON number. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type PlainValue = null | boolean | string | NumberText;

/** A JSON value. A map is an object, so that any text is a usual name. */
export type ReferenceValue = PlainValue | readonly ReferenceValue[] | ReferenceObject;

export type ReferenceObject = ReadonlyMap<string, ReferenceValue>;

/** A value of the event, or undefined for a missing field. */
type Field = ReferenceValue | undefined;

/** Whether a valid filter, or one of its conditions, holds for a field. The field of a filter is the event. */
export function referenceHolds(condition: ReferenceValue, field: Field): boolean {
  if (!(condition instanceof Map)) {
    return isList(field)
      ? field.some((element) => referenceHolds(condition, element))
      : field !== undefined && isSame(field, condition);
  }
  const members: ReferenceObject = condition;
  if (isList(field)) {
    const rest = new Map([...members].filter(([name]) => name !== '$exist'));
    return (
      members.get('$exist') !== false &&
      (rest.size === 0 || field.some((element) => referenceHolds(rest, element)))
    );
  }
  return [...members].every(([name, operand]) =>
    name.startsWith('$')
      ? operatorHolds(name, operand, field)
      : referenceHolds(operand, field instanceof Map ? member(field, name) : undefined),
  );
}

function member(object: ReferenceObject, name: string): Field {
  return object.get(name);
}

function operatorHolds(operator: string, operand: ReferenceValue, field: Field): boolean {
  switch (operator) {
    case '$exist':
      return (field !== undefined) === operand;
    case '$and':
      return listOf(operand).every((condition) => referenceHolds(condition, field));
    case '$or':
      return listOf(operand).some((condition) => referenceHolds(condition, field));
    case '$not':
      return field !== undefined && !referenceHolds(operand, field);
    default:
      return field !== undefined && comparisonHolds(operator, operand, field);
  }
}

function comparisonHolds(operator: string, operand: ReferenceValue, value: ReferenceValue): boolean {
  switch (operator) {
    case '$eq':
      return isSame(value, operand);
    case '$ne':
    case '$neq':
      return !isSame(value, operand);
    case '$gt':
      return (order(value, operand) ?? 0) > 0;
    case '$gte':
      return (order(value, operand) ?? -1) >= 0;
    case '$lt':
      return (order(value, operand) ?? 0) < 0;
    case '$lte':
      return (order(value, operand) ?? 1) <= 0;
    case '$in':
      return isIn(value, operand);
    case '$nin':
      return !isIn(value, operand);
    default:
      return typeof value === 'string' && typeof operand === 'string' && textHolds(operator, value, operand);
  }
}

function textHolds(operator: string, value: string, operand: string): boolean {
  const at = Array.from({ length: value.length - operand.length + 1 }, (_, start) =>
    value.slice(start, start + operand.length),
  );
  switch (operator) {
    case '$startsWith':
      return at[0] === operand;
    case '$endsWith':
      return at.at(-1) === operand;
    case '$contains':
      return at.includes(operand);
    default:
      throw new Error(`unknown operator ${operator}`);
  }
}

function isIn(value: ReferenceValue, operand: ReferenceValue): boolean {
  return typeof operand === 'string'
    ? typeof value === 'string' && textHolds('$contains', operand, value)
    : listOf(operand).some((one) => isSame(value, one));
}

function isSame(value: ReferenceValue, other: ReferenceValue): boolean {
  return value instanceof NumberText && other instanceof NumberText
    ? order(value, other) === 0
    : value === other && !(typeof value === 'object' && value !== null);
}

/** The order of two numbers or two texts; null for other values. */
function order(left: ReferenceValue, right: ReferenceValue): number | null {
  if (left instanceof NumberText && right instanceof NumberText) {
    const [one, other] = [fraction(left.text), fraction(right.text)];
    return sign(one.numerator * other.denominator - other.numerator * one.denominator);
  }
  if (typeof left === 'string' && typeof right === 'string') {
    return left === right ? 0 : left < right ? -1 : 1;
  }
  return null;
}

function sign(number: bigint): number {
  return number === 0n ? 0 : number < 0n ? -1 : 1;
}

function fraction(text: string): { readonly numerator: bigint; readonly denominator: bigint } {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [integer = '', decimals = ''] = mantissa.split('.');
  const power = Number(exponent) - decimals.length;
  // BigInt accepts no text such as `-007`, so the sign is read apart.
  const digits = BigInt((integer + decimals).replace('-', ''));
  const numerator = integer.startsWith('-') ? -digits : digits;
  return power >= 0
    ? { numerator: numerator * 10n ** BigInt(power), denominator: 1n }
    : { numerator, denominator: 10n ** BigInt(-power) };
}

function isList(value: Field): value is readonly ReferenceValue[] {
  return Array.isArray(value);
}

function listOf(value: ReferenceValue): readonly ReferenceValue[] {
  return isList(value) ? value : [];
}
