import { isObject } from '../json/exactJson.js';
import { spend } from './budget.js';
import { hold, type Evaluation, type KeywordChecks, type Target } from './evaluation.js';

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
