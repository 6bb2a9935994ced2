import process from 'node:process';

import { collectWhenIdle } from '../../../cli/roles/idleGarbageCollection.js';
import { eventually } from '../../support/eventually.js';

/** Works for longer than a start, waits until half of its memory is returned, and prints both amounts. */
const heap = () => process.memoryUsage().heapUsed;

const kept: object[][] = [];
while (process.cpuUsage().user < 3_000_000) {
  kept.push(Array.from({ length: 10_000 }, (_, index) => ({ index })));
  if (kept.length > 200) {
    kept.length = 0;
  }
}
while (kept.length < 200) {
  kept.push(Array.from({ length: 10_000 }, (_, index) => ({ index })));
}
const loaded = heap();
kept.length = 0;
const end = collectWhenIdle(500);
const quiet = await eventually('memory that is given back', () => {
  const held = heap();
  return Promise.resolve(held < loaded / 2 ? held : null);
});
end();
process.stdout.write(JSON.stringify({ loaded, quiet }));
