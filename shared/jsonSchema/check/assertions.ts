import { isList, isNumber, isObject, type JsonObject, type JsonValue } from '../json/exactJson.js';
import { compareNumbers, isInteger, isMultipleOf, isOverlong, type Decimal } from '../json/exactNumber.js';
import { typeBits, type Keyword } from '../program/keywords.js';
import { BudgetExhaustedError, spend, stepsOfText, type Budget } from './budget.js';
import { canonicalText } from './canonicalText.js';
import { hold, type Evaluation, type KeywordChecks, type Target } from './evaluation.js';
import { matchPattern } from './matchPattern.js';

type NumberLimits = 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf';
type SizeLimits = 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties';

/** The keywords that restrict a value without subschemas. */
export const assertions: KeywordChecks<
  'never' | 'type' | 'enum' | 'const' | 'pattern' | 'uniqueItems' | NumberLimits | SizeLimits
> = {
  never: (evaluation, _keyword, { place }) => hold(evaluation, false, 'never', place),
  type: (evaluation, { types }, { value, place }) =>
    hold(evaluation, (typeOf(value) & types) !== 0, 'type', place),
  enum: isAllowed,
  const: isAllowed,
  minimum: numberCheck((value, limit) => compareNumbers(value, limit) >= 0),
  maximum: numberCheck((value, limit) => compareNumbers(value, limit) <= 0),
  exclusiveMinimum: numberCheck((value, limit) => compareNumbers(value, limit) > 0),
  exclusiveMaximum: numberCheck((value, limit) => compareNumbers(value, limit) < 0),
  multipleOf: numberCheck(isMultipleOf),
  minLength: (evaluation, { limit }, { value, place }) =>
    typeof value !== 'string' ||
    hold(evaluation, !hasFewerCharacters(value, limit, evaluation.budget), 'minLength', place),
  maxLength: (evaluation, { limit }, { value, place }) =>
    typeof value !== 'string' ||
    hold(evaluation, hasFewerCharacters(value, limit + 1, evaluation.budget), 'maxLength', place),
  minItems: (evaluation, { limit }, { value, place }) =>
    !isList(value) || hold(evaluation, value.length >= limit, 'minItems', place),
  maxItems: (evaluation, { limit }, { value, place }) =>
    !isList(value) || hold(evaluation, value.length <= limit, 'maxItems', place),
  minProperties: (evaluation, { limit }, { value, place }) =>
    !isObject(value) ||
    hold(evaluation, namesOf(value, evaluation.budget).length >= limit, 'minProperties', place),
  maxProperties: (evaluation, { limit }, { value, place }) =>
    !isObject(value) ||
    hold(evaluation, namesOf(value, evaluation.budget).length <= limit, 'maxProperties', place),
  pattern: (evaluation, { pattern }, { value, place }) => {
    const isMatch =
      typeof value !== 'string' ||
      matchPattern(evaluation.program.pattern(pattern), value, evaluation.budget);
    return hold(evaluation, isMatch, 'pattern', place);
  },
  uniqueItems: (evaluation, _keyword, { value, place }) =>
    !isList(value) || hold(evaluation, areUnique(value, evaluation.budget), 'uniqueItems', place),
};

/** The steps for each name of an object: its place in the list of names, and the later access to its value. */
const listedName = 4;

/** The own names of an object. Their number counts. */
export function namesOf(object: JsonObject, budget: Budget): readonly string[] {
  const names = Object.keys(object);
  spend(budget, listedName * names.length);
  return names;
}

/** The bit of a value's type. A whole number has the bits of `number` and `integer`. */
function typeOf(value: JsonValue): number {
  if (isNumber(value)) {
    return typeBits.number | (isInteger(value) ? typeBits.integer : 0);
  }
  if (value === null) {
    return typeBits.null;
  }
  switch (typeof value) {
    case 'string':
      return typeBits.string;
    case 'boolean':
      return typeBits.boolean;
    default:
      return isList(value) ? typeBits.array : typeBits.object;
  }
}

function isAllowed(
  evaluation: Evaluation,
  { keyword, texts }: Keyword<'enum' | 'const'>,
  { value, place }: Target,
): boolean {
  return hold(evaluation, texts.has(canonicalText(value, evaluation.budget)), keyword, place);
}

function numberCheck(isValid: (value: number | Decimal, limit: number | Decimal) => boolean) {
  return (
    evaluation: Evaluation,
    { keyword, limit }: Keyword<NumberLimits>,
    { value, place }: Target,
  ): boolean => {
    if (!isNumber(value)) {
      return true;
    }
    if (typeof value !== 'number') {
      spendOnDigits(value, evaluation.budget);
    }
    return hold(evaluation, isValid(value, limit), keyword, place);
  };
}

/** @throws BudgetExhaustedError also if a number is too long */
function spendOnDigits(number: Decimal, budget: Budget): void {
  if (isOverlong(number)) {
    throw new BudgetExhaustedError('digits');
  }
  spend(budget, stepsOfText(number.digits.length + Math.abs(number.exponent)));
}

/** Whether a text has fewer code points than a limit. Only if the UTF-16 length leaves a doubt, they are counted. */
function hasFewerCharacters(text: string, limit: number, budget: Budget): boolean {
  if (text.length < limit) {
    return true;
  }
  if (text.length >= 2 * limit) {
    return false;
  }
  spend(budget, stepsOfText(text.length));
  let characters = 0;
  for (let at = 0; at < text.length; characters += 1) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return characters < limit;
}

/** The steps of an insertion into a set, which may grow. */
const newEntry = 8;

function areUnique(items: readonly JsonValue[], budget: Budget): boolean {
  const texts = new Set<string>();
  return items.every((item) => {
    spend(budget, newEntry);
    return texts.size < texts.add(canonicalText(item, budget)).size;
  });
}
