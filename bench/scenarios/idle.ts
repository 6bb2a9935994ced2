import { setTimeout as pause } from 'node:timers/promises';

import { figureNames, idleFigures, memoryFigure } from '../measure/figures.js';
import { atMost } from '../results/targets.js';
import type { Scenario } from './scenario.js';

/** Long enough for idle timeouts of connections. */
const restMs = 60_000;
const measuredMs = 20_000;
const quickMeasuredMs = 2000;
const events = 20_000;

/** The CPU time and memory of a pipeline without load. */
export const idle: Scenario = {
  name: 'idle',
  description: `CPU time of idle processes, for a minute that begins ${restMs / 1000} s after the last of ${events.toLocaleString('en')} events`,
  webhooks: 1,
  pairs: 8,
  pairsPerStart: 8,
  pipelines: ['service'],
  targets: [atMost(figureNames.idle, 3, '% of a core'), atMost(figureNames.restedMemory, 350, 'MB')],
  warmUp: async ({ deliver, untilDrained }) => {
    await deliver(events, { loop: 'closed', connections: 50 });
    await untilDrained();
    await pause(restMs);
  },
  measure: async ({ quick, usage }) => {
    const beganAt = performance.now();
    const before = await usage();
    await pause(quick ? quickMeasuredMs : measuredMs);
    const after = await usage();
    return [
      ...idleFigures(before, after, performance.now() - beganAt),
      memoryFigure(figureNames.restedMemory, before.own),
    ];
  },
};
