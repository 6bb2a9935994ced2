import type { CrashPlan, CrashResult } from '../support/crashes/crashRun.js';
import { testCrashes } from '../support/crashes/testCrashes.js';
import { printEnds } from './printEnds.js';

const rounds = 6;
const round: CrashPlan['kills'] = ['delivery', 'projections', 'delivery', 'all projections'];

function print(result: CrashResult): void {
  for (const { what, open } of result.kills) {
    process.stdout.write(`    killed ${what} with ${open} requests in flight\n`);
  }
  printEnds('processes killed', result);
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
