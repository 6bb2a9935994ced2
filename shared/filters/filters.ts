import type { SharedTurns, Steps } from '../concurrency/sharedTurns.js';
import { compileFilter } from './compileFilter.js';
import {
  createFilterInput,
  evaluateFilter,
  failedCondition,
  type FilteredEvent,
  type FilterInput,
} from './evaluateFilter.js';
import type { Filter } from './operators.js';

/** The filters of webhooks. */
export interface Filters {
  /**
   * The items whose filter holds for an event, and the items without a filter. The result is a promise only if the
   * filters need a pause.
   * @param filterOf the JSON text of an item's filter; null without a filter
   */
  readonly select: <Item>(
    items: readonly Item[],
    filterOf: (item: Item) => string | null,
    event: FilteredEvent,
  ) => readonly Item[] | Promise<readonly Item[]>;
  /**
   * The path of the first condition that an event fails; null if the filter holds.
   * @param text the JSON text of a valid filter
   */
  readonly failedCondition: (text: string, event: FilteredEvent) => string | null | Promise<string | null>;
}

/** The total length of the texts in the newer and in the older half of the compiled filters. */
const charactersOfHalf = 1024 * 1024;

export interface FiltersDependencies {
  readonly turns: SharedTurns;
  /** The histogram of the time in which the filters of an event were evaluated, pauses included. */
  readonly seconds: { readonly observe: (seconds: number) => void };
}

export function createFilters(dependencies: FiltersDependencies): Filters {
  const { turns, seconds } = dependencies;
  const compiled = createCompiledFilters();

  function* selected<Item>(
    items: readonly Item[],
    filterOf: (item: Item) => string | null,
    input: FilterInput,
  ): Steps<readonly Item[]> {
    const began = performance.now();
    const matching: Item[] = [];
    for (const item of items) {
      const text = filterOf(item);
      if (text === null || (yield* evaluateFilter(compiled(text), input))) {
        matching.push(item);
      }
      yield;
    }
    seconds.observe((performance.now() - began) / 1000);
    return matching;
  }

  return {
    select: (items, filterOf, event) => turns.run(selected(items, filterOf, createFilterInput(event))),
    failedCondition: (text, event) => turns.run(failedCondition(compiled(text), createFilterInput(event))),
  };
}

/**
 * The compiled filters that were used last, by their texts: a filter is compiled once for each change of a webhook. A
 * full half of the filters replaces the older half.
 */
function createCompiledFilters(): (text: string) => Filter {
  let newer = new Map<string, Filter>();
  let older = newer;
  let characters = 0;
  return (text) => {
    const known = newer.get(text);
    if (known !== undefined) {
      return known;
    }
    const filter = older.get(text) ?? validFilter(text);
    if (characters + text.length > charactersOfHalf) {
      older = newer;
      newer = new Map();
      characters = 0;
    }
    newer.set(text, filter);
    characters += text.length;
    return filter;
  };
}

/** The codec of webhook records rejects invalid filters, so a stored filter is valid. */
function validFilter(text: string): Filter {
  const compilation = compileFilter(text);
  if (!compilation.valid) {
    throw new Error(
      `the filter of a webhook is invalid: ${compilation.fault.param} ${compilation.fault.rule}`,
    );
  }
  return compilation.filter;
}
