import { isObject, isList } from '../json/exactJson.js';
import { namesOf } from './assertions.js';
import { spend } from './budget.js';
import { canonicalString } from './canonicalText.js';
import { hold, type Evaluation, type KeywordChecks, type Target, evaluateChild } from './evaluation.js';
import { markName, markItem, markItemsBefore } from './marks.js';
import { matchPattern } from './matchPattern.js';

/** The keywords whose subschemas apply to the same value. */
export const inPlaceKeywords: KeywordChecks<
  'reference' | 'allOf' | 'anyOf' | 'oneOf' | 'not' | 'if' | 'dependentSchemas'
> = {
  reference: (evaluation, { node }, target) => evaluation.evaluate(evaluation, node, target),
  allOf: (evaluation, { nodes }, target) =>
    nodes.every((node) => evaluation.evaluate(evaluation, node, target)),
  anyOf: (evaluation, { nodes }, target) => {
    // The marks of all subschemas that hold count, so none is left out.
    const needed = target.marks === null ? 1 : nodes.length;
    return hold(evaluation, countValid(evaluation, nodes, target, needed) > 0, 'anyOf', target.place);
  },
  oneOf: (evaluation, { nodes }, target) =>
    hold(evaluation, countValid(evaluation, nodes, target, 2) === 1, 'oneOf', target.place),
  not: (evaluation, { node }, { value, place }) =>
    hold(evaluation, !evaluation.evaluate(evaluation, node, { value, place, marks: null }), 'not', place),
  if: (evaluation, { node, ...branches }, target) => {
    const branch = evaluation.evaluate(evaluation, node, target) ? branches.then : branches.else;
    return branch === null || evaluation.evaluate(evaluation, branch, target);
  },
  dependentSchemas: (evaluation, { nodes }, target) =>
    nodes.every(([name, node]) => {
      spend(evaluation.budget, 1);
      const applies = isObject(target.value) && Object.hasOwn(target.value, name);
      return !applies || evaluation.evaluate(evaluation, node, target);
    }),
};

/** The number of subschemas that hold. The evaluation ends when `sufficient` of them do. */
function countValid(
  evaluation: Evaluation,
  nodes: readonly number[],
  target: Target,
  sufficient: number,
): number {
  let count = 0;
  for (const node of nodes) {
    count += evaluation.evaluate(evaluation, node, target) ? 1 : 0;
    if (count >= sufficient) {
      break;
    }
  }
  return count;
}

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

/** The keywords that apply to the items of a list. */
export const listKeywords: KeywordChecks<'prefixItems' | 'items' | 'contains'> = {
  prefixItems: (evaluation, { keyword, nodes }, { value, place, marks }) => {
    if (!isList(value)) {
      return true;
    }
    markItemsBefore(marks, Math.min(nodes.length, value.length));
    return value
      .slice(0, nodes.length)
      .every((item, index) =>
        evaluateChild(evaluation, { keyword, node: nodes[index] ?? 0 }, item, { parent: place, key: index }),
      );
  },
  items: (evaluation, keyword, { value, place, marks }) => {
    if (!isList(value)) {
      return true;
    }
    markItemsBefore(marks, value.length);
    return value.every(
      (item, index) =>
        index < keyword.start || evaluateChild(evaluation, keyword, item, { parent: place, key: index }),
    );
  },
  contains: (evaluation, { node, minimum, maximum }, { value, place, marks }) => {
    if (!isList(value)) {
      return true;
    }
    let count = 0;
    for (const [index, item] of value.entries()) {
      spend(evaluation.budget, 1);
      const target = { value: item, place: { parent: place, key: index }, marks: null };
      if (evaluation.evaluate(evaluation, node, target)) {
        markItem(marks, index, evaluation.budget);
        count += 1;
      }
    }
    return hold(evaluation, count >= minimum && count <= maximum, 'contains', place);
  },
};
