import type { JsonValue } from '../json/exactJson.js';
import type { Keyword, KeywordName } from '../program/keywords.js';
import type { SchemaProgram } from '../program/program.js';
import type { Budget } from './budget.js';
import type { Marks } from './marks.js';
import type { Place } from './place.js';

/** The first keyword that failed, if the evaluation of the root fails. */
export interface Failure {
  readonly place: Place;
  readonly keyword: KeywordName;
}

/** One check of one value. */
export interface Evaluation {
  readonly program: SchemaProgram;
  readonly budget: Budget;
  /** Applies a subschema. The keyword modules get this function here, because it calls them. */
  readonly evaluate: (evaluation: Evaluation, node: number, target: Target) => boolean;
  failure: Failure | null;
}

/** The value to which a subschema applies. */
export interface Target {
  readonly value: JsonValue;
  readonly place: Place;
  /** The members and items that keywords have evaluated. Null: no `unevaluated…` needs them. */
  readonly marks: Marks | null;
}

/** Applies a keyword to a value. It must spend steps for all that exceeds constant time. */
export type KeywordCheck<Name extends KeywordName> = (
  evaluation: Evaluation,
  keyword: Keyword<Name>,
  target: Target,
) => boolean;

export type KeywordChecks<Names extends KeywordName> = { readonly [Name in Names]: KeywordCheck<Name> };

/** Records a failure unless the keyword holds. A later failure replaces an earlier one, which an `anyOf` forgave. */
export function hold(evaluation: Evaluation, isValid: boolean, keyword: KeywordName, place: Place): boolean {
  if (!isValid) {
    evaluation.failure = { place, keyword };
  }
  return isValid;
}

/** Applies a subschema to a member or an item. The schema `false` fails as the keyword that contains it. */
export function evaluateChild(
  evaluation: Evaluation,
  { keyword, node }: { readonly keyword: KeywordName; readonly node: number },
  value: JsonValue,
  place: Place,
): boolean {
  const isValid = evaluation.evaluate(evaluation, node, { value, place, marks: null });
  const { failure } = evaluation;
  if (!isValid && failure?.keyword === 'never' && failure.place === place) {
    evaluation.failure = { place, keyword };
  }
  return isValid;
}
