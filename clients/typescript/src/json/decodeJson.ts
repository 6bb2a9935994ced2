import { endOfValue, partsOf } from './jsonText.js';
import { RawJson } from './rawJson.js';

/** The way to values within a JSON text: names of members, and `*` for every item of an array. */
export type JsonPath = readonly string[];

/**
 * The value of a JSON text, in which the values at the given paths are `RawJson`. Other values are as `JSON.parse` reads
 * them.
 * @throws SyntaxError if the text is not JSON
 */
export function decodeJson(text: string, rawPaths: readonly JsonPath[] = []): unknown {
  const value: unknown = JSON.parse(text);
  const start = text.search(/\S/);
  return rawPaths.reduce((replaced, path) => withRawValues({ text, start }, replaced, path), value);
}

interface Place {
  readonly text: string;
  /** Where the value begins in the text. */
  readonly start: number;
}

function withRawValues({ text, start }: Place, value: unknown, [step, ...path]: JsonPath): unknown {
  if (step === undefined) {
    return new RawJson(text.slice(start, endOfValue(text, start)));
  }
  if (isContainer(value)) {
    for (const { name, start: startOfPart } of partsOf(text, start)) {
      if (step === '*' || step === name) {
        value[name] = withRawValues({ text, start: startOfPart }, value[name], path);
      }
    }
  }
  return value;
}

/** Whether a value is an object or an array. The items of an array have their positions as names. */
function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
