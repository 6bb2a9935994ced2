import type { JsonValue } from '../jsonSchema/json/exactJson.js';

/** The maximum size of a filter's compact JSON text, in bytes. */
export const maximumFilterBytes = 4 * 1024;
/** The maximum nesting depth of a filter's objects and lists. */
export const maximumFilterDepth = 8;

/** The fields of an event that a filter can name. */
export const filterFields = ['id', 'type', 'created', 'tenantId', 'data'] as const;

/** A comparison with a value that exists and is no list. */
export type Comparison = (value: JsonValue) => boolean;

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
