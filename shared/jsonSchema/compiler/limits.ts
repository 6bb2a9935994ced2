import { type Place, placeText } from '../check/place.js';

/** The limits of a schema. A later version must not lower them, because it must compile each stored schema. */
export const limits = {
  bytes: 64 * 1024,
  nesting: 64,
  subschemas: 5000,
  /** The values in all `enum`. */
  values: 5000,
  /** The evaluations of one value by a subschema and those that it applies to the same value. */
  inPlaceEvaluations: 1000,
  patterns: 100,
  patternCharacters: 1000,
  patternInstructions: 2000,
  allInstructions: 10_000,
  /** The ranges of all character classes. */
  ranges: 20_000,
  /** The distinct `\p{…}`. */
  unicodeProperties: 5,
} as const;

/** A schema that is invalid, not supported, or beyond a limit. */
export class SchemaRejectedError extends Error {
  override readonly name = 'SchemaRejectedError';
  readonly place: string;

  constructor(place: Place, message: string) {
    super(message);
    this.place = placeText(place);
  }
}

/** @throws SchemaRejectedError unless a condition holds */
export function demand(condition: boolean, place: Place, message: string): asserts condition {
  if (!condition) {
    throw new SchemaRejectedError(place, message);
  }
}

/** @throws SchemaRejectedError if a value exceeds its limit */
export function demandLimit(
  subject: string,
  { value, limit }: { readonly value: number; readonly limit: number },
  place: Place,
): void {
  demand(value <= limit, place, `The schema has ${value} ${subject}. The limit is ${limit}.`);
}
