import { isList, isObject } from '../json/exactJson.js';
import type { Keyword, KeywordName } from '../program/keywords.js';
import type { SchemaProgram } from '../program/program.js';
import { inPlaceKeywords, objectKeywords, listKeywords } from './applicators.js';
import { assertions, namesOf } from './assertions.js';
import { BudgetExhaustedError, enter, leave, spend, type Budget } from './budget.js';
import { canonicalString } from './canonicalText.js';
import type { CheckedData } from './checkedData.js';
import { evaluateChild, type Evaluation, type KeywordChecks, type Target } from './evaluation.js';
import { addMarks, createMarks, isItemMarked, markItemsBefore, markName } from './marks.js';
import { checkMessage, type CheckCode } from './messages.js';
import { placeText } from './place.js';

/**
 * `place` is the place in the data (`data.items[2].price`), at most 300 characters. `code` is the keyword that failed,
 * and `message` is `checkMessage(code)`. `exhausted` says nothing about the data.
 */
export type CheckResult =
  | { readonly status: 'valid' }
  | {
      readonly status: 'invalid';
      readonly place: string;
      readonly code: CheckCode;
      readonly message: string;
    }
  | { readonly status: 'exhausted' };

/**
 * Checks data against a program. The result depends only on the arguments: each process gets the same result for the
 * same data and budget. The budget is reduced by the steps of the check.
 */
export function checkData(program: SchemaProgram, data: CheckedData, budget: Budget): CheckResult {
  const { depth } = budget;
  const evaluation: Evaluation = { program, budget, evaluate, failure: null };
  const target = { value: data.value, place: { parent: null, key: 'data' }, marks: null };
  try {
    return evaluate(evaluation, 0, target) ? { status: 'valid' } : invalid(evaluation);
  } catch (error) {
    if (error instanceof BudgetExhaustedError) {
      budget.depth = depth;
      return { status: 'exhausted' };
    }
    throw error;
  }
}

/** The keywords that apply to what the other keywords of a schema have not evaluated. */
const unevaluatedKeywords: KeywordChecks<'unevaluatedItems' | 'unevaluatedProperties'> = {
  unevaluatedItems: (evaluation, keyword, { value, place, marks }) => {
    if (!isList(value) || marks === null) {
      return true;
    }
    const isValid = value.every((item, index) => {
      spend(evaluation.budget, 1);
      return (
        isItemMarked(marks, index) || evaluateChild(evaluation, keyword, item, { parent: place, key: index })
      );
    });
    markItemsBefore(marks, value.length);
    return isValid;
  },
  unevaluatedProperties: (evaluation, keyword, { value, place, marks }) =>
    !isObject(value) ||
    marks === null ||
    namesOf(value, evaluation.budget).every((name) => {
      if (marks.names.has(canonicalString(name, evaluation.budget))) {
        return true;
      }
      markName(marks, name, evaluation.budget);
      return evaluateChild(evaluation, keyword, value[name] ?? null, { parent: place, key: name });
    }),
};

const keywordChecks: KeywordChecks<KeywordName> = {
  ...assertions,
  ...objectKeywords,
  ...listKeywords,
  ...inPlaceKeywords,
  ...unevaluatedKeywords,
};

function evaluate(evaluation: Evaluation, index: number, target: Target): boolean {
  const { budget, program } = evaluation;
  const node = program.node(index);
  enter(budget);
  spend(budget, 1);
  // A subschema that fails must mark nothing, so each has its own marks.
  const needsMarks = target.marks !== null || node.hasUnevaluated;
  const marks = needsMarks ? createMarks() : null;
  const own = needsMarks ? { ...target, marks } : target;
  const isValid = node.keywords.every((keyword) => holds(evaluation, keyword, own));
  if (isValid && marks !== null && target.marks !== null) {
    addMarks(target.marks, marks, budget);
  }
  leave(budget);
  return isValid;
}

function holds<Name extends KeywordName>(
  evaluation: Evaluation,
  keyword: Keyword<Name>,
  target: Target,
): boolean {
  spend(evaluation.budget, 1);
  const check: KeywordChecks<KeywordName>[Name] = keywordChecks[keyword.keyword];
  return check(evaluation, keyword, target);
}

function invalid({ failure }: Evaluation): CheckResult {
  if (failure === null) {
    throw new Error('A keyword failed without a failure.');
  }
  const { place, keyword: code } = failure;
  return { status: 'invalid', place: placeText(place), code, message: checkMessage(code) };
}
