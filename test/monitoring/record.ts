import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

import { createOpened } from '../support/opened.js';
import { faults, type Fault } from './faults.js';
import { startObservedService } from './observedService.js';
import { formatRecording } from './recording.js';
import { startSampler } from './sampler.js';

/**
 * Records the metrics of real processes while faults are caused, as input of the tests of the alert rules. Takes about 7 minutes for
 * all of them. Usage: npm run record:alerts -- [FAULT]...
 */

const intervalSeconds = 5;

const rules = await readFile(new URL('../../docs/monitoring/alerts.yml', import.meta.url), 'utf8');
const named = new Set(rules.match(/\b(postrider|nodejs|process)_[a-z0-9_]+/g));

async function record(name: string, fault: Fault): Promise<void> {
  const opened = createOpened();
  try {
    const service = await startObservedService(opened);
    const targets = Object.entries(service.roles).map(([role, { address }]) => ({
      job: `postrider-${role}`,
      instance: `${role}-1`,
      address,
    }));
    const sampler = startSampler(targets, intervalSeconds, (metric) => named.has(metric));
    opened.add('sampler', sampler.stop);
    const steps = [name];
    await fault(service, async (what, seconds) => {
      const second = sampler.samples() * intervalSeconds;
      steps.push(`from second ${String(second)}: ${what}`);
      process.stdout.write(`${name}: ${steps.at(-1) ?? ''}\n`);
      await pause(seconds * 1000);
    });
    await sampler.stop();
    const file = new URL(`recorded/${name}.txt`, import.meta.url);
    await writeFile(file, formatRecording({ steps, intervalSeconds, series: sampler.series() }));
  } finally {
    await opened.releaseAll();
  }
}

/** Two recordings run in parallel, because they wait most of the time. */
const workers = 2;

const chosen = process.argv.slice(2);
const waiting = Object.entries(faults).filter(([name]) => chosen.length === 0 || chosen.includes(name));

async function recordAll(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    await record(...next);
  }
}

await Promise.all(Array.from({ length: workers }, recordAll));
process.exit(0);
