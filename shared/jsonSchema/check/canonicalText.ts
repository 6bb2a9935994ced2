import { isList, isNumber, isObject, type JsonObject, type JsonValue } from '../json/exactJson.js';
import { canonicalNumber, isOverlong } from '../json/exactNumber.js';
import { BudgetExhaustedError, enter, leave, spend, stepsOfText, type Budget } from './budget.js';

/**
 * A text that is equal for equal JSON values: names are sorted, and numbers are normalized. Sets contain these texts
 * also of scalars and names, because V8 does not seed the hashes of numbers and of texts such as `"12"`. Their
 * collisions can be chosen, and then each look-up is linear.
 *
 * @throws BudgetExhaustedError also if a number is too long
 */
export function canonicalText(value: JsonValue, budget: Budget): string {
  spend(budget, 1);
  if (typeof value === 'string') {
    return canonicalString(value, budget);
  }
  if (isNumber(value)) {
    if (isOverlong(value)) {
      throw new BudgetExhaustedError('digits');
    }
    spend(budget, normalizedNumber);
    return canonicalNumber(value);
  }
  if (typeof value !== 'object' || value === null) {
    return String(value);
  }
  enter(budget);
  const text = isObject(value) ? objectText(value, budget) : listText(value, budget);
  leave(budget);
  return text;
}

/** The steps of a new text and its hash, next to those of its characters. */
const newText = 4;
/** The steps of the normalization of a number. */
const normalizedNumber = 16;

/** The canonical text of a string or a name. */
export function canonicalString(text: string, budget: Budget): string {
  spend(budget, newText + stepsOfText(text.length));
  return JSON.stringify(text);
}

function listText(list: JsonValue, budget: Budget): string {
  const items = isList(list) ? list.map((item) => canonicalText(item, budget)) : [];
  return joined('[', items, ']', budget);
}

function objectText(object: JsonObject, budget: Budget): string {
  const names = Object.keys(object);
  spendOnSort(names, budget);
  const members = names
    .sort()
    .map((name) => `${canonicalString(name, budget)}:${canonicalText(object[name] ?? null, budget)}`);
  return joined('{', members, '}', budget);
}

/** Sorting compares each name about as often as the binary logarithm of their number. */
function spendOnSort(names: readonly string[], budget: Budget): void {
  const comparisons = 32 - Math.clz32(names.length);
  for (const name of names) {
    spend(budget, comparisons * stepsOfText(name.length));
  }
}

function joined(start: string, parts: readonly string[], end: string, budget: Budget): string {
  const text = `${start}${parts.join(',')}${end}`;
  spend(budget, stepsOfText(text.length));
  return text;
}
