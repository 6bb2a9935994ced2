import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

import { createCpuPriority } from '../../../cli/roles/cpuPriority.js';

const sessionShare = '/proc/self/autogroup';
/** The kernel allows ten changes of the priority in a second. */
const betweenChangesMs = 250;

function part(): string {
  return existsSync(sessionShare)
    ? (/nice -?\d+/u.exec(readFileSync(sessionShare, 'utf8'))?.[0] ?? '')
    : 'no sessions';
}

const takeShare = createCpuPriority({ debug: () => undefined });
const before = part();
takeShare(4);
const less = part();
await pause(betweenChangesMs);
takeShare(0);
process.stdout.write(JSON.stringify([before, less, part()]));
