import { setTimeout as pause } from 'node:timers/promises';

import { figureNames, idleFigures, memoryFigure } from '../measure/figures.js';
import { atMost } from '../report/bars.js';
import type { Scenario } from './scenario.js';

/** Connections have gone to sleep, and what is done once in a while has been done. */
const restMs = 60_000;
const quickRestMs = 1000;
/** Long enough for what is done once a minute to be in it. */
const measuredMs = 60_000;
const quickMeasuredMs = 2000;
const events = 20_000;
const quickEvents = 100;

/** What a pipeline costs while nobody posts anything. */
export const idle: Scenario = {
  name: 'idle',
  description: `processor time while nothing happens, for a minute that begins ${restMs / 1000} s after the last of ${events.toLocaleString('en')} events`,
  webhooks: 1,
  bars: [atMost(figureNames.idle, 3, '% of a core'), atMost(figureNames.restedMemory, 350, 'MB')],
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
