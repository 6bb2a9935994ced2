import { setTimeout as pause } from 'node:timers/promises';

import { figureNames, idleFigures, memoryFigure } from '../measure/figures.js';
import { atMost } from '../results/targets.js';
import type { Scenario } from './scenario.js';

/** Long enough for idle timeouts of connections. */
const restMs = 60_000;
const quickRestMs = 1000;
/** Long enough to include the tasks that run once a minute. */
const measuredMs = 60_000;
const quickMeasuredMs = 2000;
const events = 20_000;
const quickEvents = 100;

/** The CPU time and memory of a pipeline without load. */
export const idle: Scenario = {
  name: 'idle',
  description: `CPU time of idle processes, for a minute that begins ${restMs / 1000} s after the last of ${events.toLocaleString('en')} events`,
  webhooks: 1,
  targets: [atMost(figureNames.idle, 3, '% of a core'), atMost(figureNames.restedMemory, 350, 'MB')],
  measure: async ({ quick, deliver, untilDrained, usage }) => {
    await deliver(quick ? quickEvents : events, { loop: 'closed', connections: 50 });
    await untilDrained();
    await pause(quick ? quickRestMs : restMs);
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
