import { isObject } from '../json/exactJson.js';
import { spend } from './budget.js';
import { canonicalString } from './canonicalText.js';
import { evaluateChild, hold, type Evaluation, type KeywordChecks } from './evaluation.js';
import { markName } from './marks.js';
import { matchPattern } from './matchPattern.js';
import { namesOf } from './assertions.js';

/** The keywords that apply to the members of an object. */
export const objectKeywords: KeywordChecks<
  | 'required'
  | 'dependentRequired'
  | 'properties'
  | 'patternProperties'
  | 'additionalProperties'
  | 'propertyNames'
> = {
  required: (evaluation, { names }, { value, place }) => {
    spend(evaluation.budget, names.length);
    const missing = isObject(value) ? names.find((name) => !Object.hasOwn(value, name)) : undefined;
    return missing === undefined || hold(evaluation, false, 'required', { parent: place, key: missing });
  },
  dependentRequired: (evaluation, { names }, { value, place }) =>
    !isObject(value) ||
    names.every(([name, required]) => {
      spend(evaluation.budget, 1 + required.length);
      const missing = Object.hasOwn(value, name)
        ? required.find((other) => !Object.hasOwn(value, other))
        : undefined;
      const failurePlace = { parent: place, key: missing ?? name };
      return hold(evaluation, missing === undefined, 'dependentRequired', failurePlace);
    }),
  properties: (evaluation, { keyword, nodes }, { value, place, marks }) =>
    !isObject(value) ||
    nodes.every(([name, node]) => {
      spend(evaluation.budget, 1);
      if (!Object.hasOwn(value, name)) {
        return true;
      }
      markName(marks, name, evaluation.budget);
      const child = { parent: place, key: name };
      return evaluateChild(evaluation, { keyword, node }, value[name] ?? null, child);
    }),
  patternProperties: (evaluation, { keyword, nodes }, { value, place, marks }) =>
    !isObject(value) ||
    namesOf(value, evaluation.budget).every((name) =>
      nodes.every(([pattern, node]) => {
        if (!isMatch(evaluation, pattern, name)) {
          return true;
        }
        markName(marks, name, evaluation.budget);
        const child = { parent: place, key: name };
        return evaluateChild(evaluation, { keyword, node }, value[name] ?? null, child);
      }),
    ),
  additionalProperties: (evaluation, { keyword, node, names, patterns }, { value, place, marks }) =>
    !isObject(value) ||
    namesOf(value, evaluation.budget).every((name) => {
      const isNamed = names.has(canonicalString(name, evaluation.budget));
      if (isNamed || patterns.some((pattern) => isMatch(evaluation, pattern, name))) {
        return true;
      }
      markName(marks, name, evaluation.budget);
      const child = { parent: place, key: name };
      return evaluateChild(evaluation, { keyword, node }, value[name] ?? null, child);
    }),
  propertyNames: (evaluation, { keyword, node }, { value, place }) =>
    !isObject(value) ||
    namesOf(value, evaluation.budget).every((name) => {
      const child = { parent: place, key: name };
      return (
        evaluation.evaluate(evaluation, node, { value: name, place: child, marks: null }) ||
        hold(evaluation, false, keyword, child)
      );
    }),
};

function isMatch(evaluation: Evaluation, pattern: number, name: string): boolean {
  return matchPattern(evaluation.program.pattern(pattern), name, evaluation.budget);
}
