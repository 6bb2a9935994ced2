import { constants, PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import { setImmediate as endOfTurn } from 'node:timers/promises';

import { z } from 'zod';

import { heapGrowthPercent, limitHeapGrowth } from '../../../cli/roles/heapGrowth.js';

/** An entry of the type `gc`. The types of Node lack its details. */
const collection = z.object({ detail: z.object({ kind: z.number() }) });

/** Replaces old objects of a heap of constant size, and prints how often V8 has collected the old generation meanwhile. */
limitHeapGrowth(heapGrowthPercent.allRoles);

let collections = 0;
const observer = new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const { kind } = collection.parse(entry).detail;
    collections += kind === constants.NODE_PERFORMANCE_GC_MAJOR ? 1 : 0;
  }
});
observer.observe({ entryTypes: ['gc'] });

const size = 200_000;
const live = Array.from({ length: size }, (_, index) => ({ index, parts: [index] }));
for (let step = 0; step < 30 * size; step += 1) {
  // A prime step: objects are old when they are replaced.
  live[(step * 7919) % size] = { index: step, parts: [step] };
  if (step % 50_000 === 0) {
    await endOfTurn();
  }
}
await endOfTurn();
process.stdout.write(String(collections));
