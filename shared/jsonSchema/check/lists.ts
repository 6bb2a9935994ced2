import { isList } from '../json/exactJson.js';
import { spend } from './budget.js';
import { evaluateChild, hold, type KeywordChecks } from './evaluation.js';
import { markItem, markItemsBefore } from './marks.js';

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
