import { parseExactJson, type JsonValue } from '../json/exactJson.js';
import { comparableNumber, hasLongNumbers } from '../json/exactNumber.js';
import type { SchemaProgram } from '../program/program.js';

/** `data` of an event, with exact numbers if a program needs them. */
export interface CheckedData {
  readonly value: JsonValue;
}

/**
 * The data that `checkData` needs.
 *
 * @param json The bytes of `data`, which must be valid JSON in UTF-8.
 * @param parsed The value that `JSON.parse` returns for these bytes.
 */
export function createCheckedData(program: SchemaProgram, json: Buffer, parsed: unknown): CheckedData {
  const isExact = program.needsExactNumbers && hasLongNumbers(json);
  return isExact || !isJsonValue(parsed)
    ? { value: parseExactJson(json.toString('utf8'), comparableNumber) }
    : { value: parsed };
}

/** `JSON.parse` returns each JSON value, and never `undefined`. */
function isJsonValue(parsed: unknown): parsed is JsonValue {
  return parsed !== undefined;
}
