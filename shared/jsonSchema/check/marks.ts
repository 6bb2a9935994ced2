import { spend, type Budget } from './budget.js';
import { canonicalString } from './canonicalText.js';

/** The members and items of a value that keywords have evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Marks {
  /** Canonical texts of names. */
  readonly names: Set<string>;
  /** Indexes from `itemsBefore`. */
  readonly items: Set<number>;
  /** The items before this index have all been evaluated. */
  itemsBefore: number;
}

export function createMarks(): Marks {
  return { names: new Set(), items: new Set(), itemsBefore: 0 };
}

export function markName(marks: Marks | null, name: string, budget: Budget): void {
  if (marks !== null) {
    spend(budget, 1);
    marks.names.add(canonicalString(name, budget));
  }
}

export function markItem(marks: Marks | null, index: number, budget: Budget): void {
  if (marks !== null) {
    spend(budget, 1);
    marks.items.add(index);
  }
}

export function markItemsBefore(marks: Marks | null, index: number): void {
  if (marks !== null) {
    marks.itemsBefore = Math.max(marks.itemsBefore, index);
  }
}

export function isItemMarked(marks: Marks, index: number): boolean {
  return index < marks.itemsBefore || marks.items.has(index);
}

/** Adds the marks of a subschema that holds to the marks of the schema that contains it. */
export function addMarks(marks: Marks, added: Marks, budget: Budget): void {
  spend(budget, 1 + added.names.size + added.items.size);
  for (const name of added.names) {
    marks.names.add(name);
  }
  for (const item of added.items) {
    marks.items.add(item);
  }
  markItemsBefore(marks, added.itemsBefore);
}
