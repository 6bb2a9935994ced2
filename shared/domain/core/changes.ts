import type { Change } from './fact.js';

/** The changed fields of a resource. */
export type Changes<Fields> = { readonly [Field in keyof Fields]?: Change<Fields[Field]> | undefined };

/** The fields of a resource that a request sets. A field that is missing stays unchanged. */
export type Update<Fields> = { readonly [Field in keyof Fields]?: Fields[Field] | undefined };

/**
 * The changes that an update makes, without the fields that already have the requested value.
 * @param before all fields that can change
 */
export function changesOf<Fields extends object>(before: Fields, update: Update<Fields>): Changes<Fields> {
  const changes: { [Field in keyof Fields]?: Change<Fields[Field]> } = {};
  for (const name of namesOf(before)) {
    const from = before[name];
    const to = update[name];
    if (to !== undefined && !isSame(from, to)) {
      changes[name] = { from, to };
    }
  }
  return changes;
}

/** The fields after their changes. */
export function withChanges<Fields extends object>(before: Fields, changes: Changes<Fields>): Fields {
  const after = { ...before };
  for (const name of namesOf(before)) {
    const change = changes[name];
    if (change !== undefined) {
      after[name] = change.to;
    }
  }
  return after;
}

function namesOf<Fields extends object>(fields: Fields): readonly (keyof Fields)[] {
  return Object.keys(fields) as (keyof Fields)[];
}

/** Whether two values of a field are the same: texts, numbers, times, or lists of them. */
function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
