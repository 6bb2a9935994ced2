import type { Mutation } from './mutation.js';
import type { Bench } from './workshop.js';

export type Chosen = Pick<Mutation, 'test' | 'grep'>;

/**
 * Whether the test of a mutation passes in a copy as it is: else its red would mean nothing. All tests of one file that mutations
 * name are tried at once; what does not pass among the others is tried by itself.
 */
export function createUnbroken(
  mutations: readonly Chosen[],
): (mutation: Chosen, bench: Pick<Bench, 'passes' | 'passingOf'>) => Promise<boolean> {
  const files = new Map<string, Promise<ReadonlySet<string>>>();
  const passingOf = (file: string, bench: Pick<Bench, 'passingOf'>) => {
    const parts = mutations.flatMap(({ test, grep }) => (test === file ? [grep] : []));
    const passing = files.get(file) ?? bench.passingOf(file, [...new Set(parts)]);
    files.set(file, passing);
    return passing;
  };
  return async (mutation, bench) =>
    (await passingOf(mutation.test, bench)).has(mutation.grep) || bench.passes(mutation);
}
