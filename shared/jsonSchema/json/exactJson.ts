import { runAtOnce, type Steps } from '../../concurrency/sharedTurns.js';
import { ExactNumber, verbatimNumber } from './exactNumber.js';

/** A JSON value. A number is an `ExactNumber` if a JavaScript number does not preserve it. */
export type JsonValue = null | boolean | string | number | ExactNumber | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** A list or an object whose end has not been read. */
interface OpenContainer {
  readonly value: JsonValue[] | Record<string, JsonValue>;
  /** The name of the member whose value follows. */
  name: string | null;
}

/** A value whose members or items have not been read. */
type NewValue = null | boolean | string | number | ExactNumber | OpenContainer['value'];

/** The parts of a text between two pauses. */
const partsOfStep = 500;

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{}]/g;

/**
 * Parses JSON without rounding numbers. Of repeated names, the last one counts. `__proto__` is an ordinary name. The
 * nesting is not limited.
 *
 * @param createNumber Creates the value for the text of a number. By default, each number keeps its text.
 * @throws SyntaxError if the text is no JSON
 */
export function parseExactJson(
  text: string,
  createNumber: (text: string) => number | ExactNumber = verbatimNumber,
): JsonValue {
  return runAtOnce(parseInSteps(text, createNumber));
}

/** Parses JSON like `parseExactJson`, with pauses. */
export function* parseInSteps(
  text: string,
  createNumber: (text: string) => number | ExactNumber,
): Steps<JsonValue> {
  JSON.parse(text);
  const results: JsonValue[] = [];
  const open: OpenContainer[] = [{ value: results, name: null }];
  let parts = 0;
  for (const [part] of text.matchAll(token)) {
    parts += 1;
    if (parts % partsOfStep === 0) {
      yield;
    }
    const container = open.at(-1);
    if (container === undefined || isClosing(part)) {
      open.pop();
    } else if (isName(container, part)) {
      container.name = parseString(part);
    } else {
      addPart(open, container, valueOf(part, createNumber));
    }
  }
  return results[0] ?? null;
}

/** The compact JSON text of a value. Numbers of `parseExactJson` keep their texts. */
export function writeExactJson(value: JsonValue): string {
  if (value instanceof ExactNumber) {
    return value.text;
  }
  if (isList(value)) {
    return `[${value.map(writeExactJson).join(',')}]`;
  }
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([name, member]) => `${JSON.stringify(name)}:${writeExactJson(member)}`,
    );
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** `Array.isArray` does not narrow readonly lists. */
export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function isObject(value: JsonValue): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

export function isNumber(value: JsonValue): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}

function isClosing(part: string): boolean {
  return part === '}' || part === ']';
}

/** Adds a value to its container. A list or an object is opened, so the next values are added to it. */
function addPart(open: OpenContainer[], container: OpenContainer, value: NewValue): void {
  add(container, value);
  if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber)) {
    open.push({ value, name: null });
  }
}

function isName({ value, name }: OpenContainer, part: string): boolean {
  return name === null && part.startsWith('"') && !Array.isArray(value);
}

function valueOf(part: string, createNumber: (text: string) => number | ExactNumber): NewValue {
  switch (part[0]) {
    case '{':
      return {};
    case '[':
      return [];
    case '"':
      return parseString(part);
    case 't':
      return true;
    case 'f':
      return false;
    case 'n':
      return null;
    default:
      return createNumber(part);
  }
}

function parseString(part: string): string {
  return part.includes('\\') ? String(JSON.parse(part)) : part.slice(1, -1);
}

function add(container: OpenContainer, value: JsonValue): void {
  if (Array.isArray(container.value)) {
    container.value.push(value);
    return;
  }
  // An assignment to `__proto__` would set the prototype.
  Object.defineProperty(container.value, container.name ?? '', {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
  container.name = null;
}
