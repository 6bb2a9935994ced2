import type { CrashPlan, CrashResult } from '../support/crashes/crashRun.js';
import { testCrashes } from '../support/crashes/testCrashes.js';

const rounds = 6;
const round: CrashPlan['kills'] = ['delivery', 'projections', 'delivery', 'all projections'];

function print({ kills, accepted, pairs, repeats, mostInHand }: CrashResult): void {
  for (const { what, open } of kills) {
    process.stdout.write(`    killed ${what} with ${open} requests in flight\n`);
  }
  const lost = accepted * 3 - pairs.length;
  process.stdout.write(
    `    ${accepted} events, ${pairs.length} deliveries, ${repeats} requests repeated (at most ${mostInHand} in hand), ${lost} lost\n`,
  );
}

testCrashes({
  title: 'processes that are killed for minutes',
  timeoutMs: 15 * 60_000,
  seed: 7,
  eventsPerSecond: 60,
  kills: Array.from({ length: rounds }, () => round).flat(),
  betweenKillsMs: { least: 2000, most: 10_000 },
  report: print,
});
