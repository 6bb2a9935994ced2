import type { HurtResult } from '../support/crashes/hurtRun.js';

/** Prints one line with the result of a run. */
export function printEnds(title: string, { accepted, pairs, repeats, mostInFlight }: HurtResult): void {
  const ended = new Set(pairs.map(({ pair }) => pair)).size;
  process.stdout.write(
    `    ${title}: ${accepted} events accepted, ${ended} deliveries ended, ${accepted * 3 - ended} lost, ` +
      `${repeats} requests repeated (at most ${mostInFlight} in flight at the same time)\n`,
  );
}
