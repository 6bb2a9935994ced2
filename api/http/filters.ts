import { z } from 'zod';

import { timeBoundSchema, typePatternSchema } from './schemas.js';
import { mustBe } from './validation.js';

/** Filters of several lists. */

const maximumTypes = 100;

/** The filter by event types, a parameter that may be repeated. */
export const typesFilter = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z.array(typePatternSchema).max(maximumTypes, mustBe(`given at most ${String(maximumTypes)} times`)),
  )
  .optional()
  .meta({
    description:
      'Return only events of this type, or of all types below a prefix such as `order.*`. Several types select the events of any of them.',
  });

/** The bounds of the time of a list. `what` names the resources and their time, such as `events that were created`. */
export function createdBounds(what: string) {
  const only = `Return only ${what}`;
  return {
    createdGte: timeBoundSchema('above')
      .optional()
      .meta({ description: `${only} at this time or later.` }),
    createdGt: timeBoundSchema('below')
      .optional()
      .meta({ description: `${only} after this time.` }),
    createdLte: timeBoundSchema('below')
      .optional()
      .meta({ description: `${only} at this time or earlier.` }),
    createdLt: timeBoundSchema('above')
      .optional()
      .meta({ description: `${only} before this time.` }),
  };
}

export interface CreatedBounds {
  readonly createdGte?: Date | undefined;
  readonly createdGt?: Date | undefined;
  readonly createdLte?: Date | undefined;
  readonly createdLt?: Date | undefined;
}

/** The condition of documents within the bounds. */
export function createdWithin({ createdGte, createdGt, createdLte, createdLt }: CreatedBounds) {
  const bounds = Object.entries({ $gte: createdGte, $gt: createdGt, $lte: createdLte, $lt: createdLt });
  const given = bounds.filter(([, bound]) => bound !== undefined);
  return given.length === 0 ? {} : { created: Object.fromEntries(given) };
}

const statusCodeRule = mustBe('a status code from 100 to 599');

export const statusCodeFilter = z
  .string(mustBe('given once'))
  .regex(/^[1-5]\d\d$/, statusCodeRule)
  .transform(Number)
  .meta({ describedAs: { type: 'integer', minimum: 100, maximum: 599 } });
