import type { Place } from '../check/place.js';
import { isList, isNumber, isObject, type JsonObject, type JsonValue } from '../json/exactJson.js';
import { isInteger, isOverlong, maximumDigits, type Decimal } from '../json/exactNumber.js';
import { demand } from './limits.js';

/** Readers of the values of keywords. Each throws a `SchemaRejectedError` if the value has another type. */

export function textValue(value: JsonValue, place: Place): string {
  demand(typeof value === 'string', place, 'The value must be a string.');
  return value;
}

export function listValue(value: JsonValue, place: Place): readonly JsonValue[] {
  demand(isList(value), place, 'The value must be a list.');
  return value;
}

/** The parts of a list, with their places. */
export function itemsOf(value: JsonValue, place: Place): readonly (readonly [JsonValue, Place])[] {
  return listValue(value, place).map((item, index) => [item, { parent: place, key: index }]);
}

/** A list of at least one item, with their places. */
export function someItemsOf(value: JsonValue, place: Place): readonly (readonly [JsonValue, Place])[] {
  const items = itemsOf(value, place);
  demand(items.length > 0, place, 'The list must not be empty.');
  return items;
}

/** The members of an object, with their places. */
export function membersOf(
  value: JsonValue,
  place: Place,
): readonly (readonly [name: string, JsonValue, Place])[] {
  return Object.entries(objectValue(value, place)).map(([name, member]) => [
    name,
    member,
    { parent: place, key: name },
  ]);
}

export function distinctTexts(value: JsonValue, place: Place): readonly string[] {
  const texts = itemsOf(value, place).map(([item, itemPlace]) => textValue(item, itemPlace));
  demand(new Set(texts).size === texts.length, place, 'The list must not contain a text twice.');
  return texts;
}

export function numberValue(value: JsonValue, place: Place): number | Decimal {
  demand(isNumber(value), place, 'The value must be a number.');
  demand(
    !isOverlong(value),
    place,
    `The number exceeds the limit of ${maximumDigits} digits, or of ${maximumDigits} for the exponent.`,
  );
  if (typeof value === 'number') {
    return value;
  }
  const { negative, digits, exponent } = value;
  return { negative, digits, exponent };
}

/** A limit of a length or of a number of parts. */
export function sizeValue(value: JsonValue, place: Place): number {
  const size =
    isNumber(value) && isInteger(value) ? Number(typeof value === 'number' ? value : value.text) : -1;
  demand(size >= 0, place, 'The value must be a whole number, at least 0.');
  return size;
}

function objectValue(value: JsonValue, place: Place): JsonObject {
  demand(isObject(value), place, 'The value must be an object.');
  return value;
}
