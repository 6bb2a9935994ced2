import { setTimeout as pause } from 'node:timers/promises';

import { figureNames, idleFigures } from '../measure/figures.js';
import { atMost } from '../results/targets.js';
import type { Scenario } from './scenario.js';

const events = 10_000;
/** Long enough for idle timeouts of connections. */
const restMs = 60_000;
const measuredMs = 4000;
const quickMeasuredMs = 2000;

/** The CPU time and memory of a pipeline without load. */
export const idle: Scenario = {
  name: 'idle',
  description: `no load, from ${restMs / 1000} s after the last of ${events.toLocaleString('en')} events`,
  webhooks: 1,
  isForBare: false,
  pairs: 8,
  rows: [
    { figure: figureNames.idleCpu, unit: '% of a core', targets: [atMost(3)] },
    { figure: figureNames.idleServersCpu, unit: '% of a core' },
    { figure: figureNames.restedMemory, unit: 'MB', targets: [atMost(350)] },
  ],
  prepare: async ({ quick, deliver, untilDrained }) => {
    if (!quick) {
      await deliver(events, { loop: 'closed', connections: 50 });
      await untilDrained();
      await pause(restMs);
    }
  },
  measure: async ({ quick, usage }) => {
    const beganAt = performance.now();
    const before = await usage();
    await pause(quick ? quickMeasuredMs : measuredMs);
    return [idleFigures(before, await usage(), performance.now() - beganAt)];
  },
};
