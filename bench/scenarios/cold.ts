import { figureNames, latencyFigures, latencyNames, throughputFigures } from '../measure/figures.js';
import { atLeast, atMost } from '../results/targets.js';
import type { Figure } from '../results/result.js';
import type { Scenario, ScenarioContext } from './scenario.js';

const events = 20_000;
const quickEvents = 500;
const perSecond = 100;
const load = { loop: 'closed', connections: 50 } as const;

const names = {
  ratio: 'delivered, cold / warm',
  firstSecond: `first second at ${perSecond} a second: ${latencyNames('due time').p99}`,
} as const;

/** The performance immediately after a start. V8 has compiled no code yet. */
export const cold: Scenario = {
  name: 'cold',
  description:
    `the first ${events.toLocaleString('en')} events after the ready line, then as many again; ` +
    `after another start, the first second at ${perSecond} events a second`,
  webhooks: 1,
  pairs: 8,
  pairsPerStart: 8,
  pipelines: ['service'],
  targets: [atLeast(names.ratio, 0.5, '×'), atMost(names.firstSecond, 60, 'ms')],
  measure: async (context) => {
    const { quick, deliver, untilDrained } = context;
    const count = quick ? quickEvents : events;
    await restartAll(context);
    const first = throughputFigures(await deliver(count, load));
    await untilDrained();
    const next = throughputFigures(await deliver(count, load));
    await untilDrained();
    await restartAll(context);
    const firstSecond = latencyFigures(await deliver(perSecond, { loop: 'open', perSecond }), 'due time');
    return [
      ...named('cold', first),
      ...named('warm', next),
      { name: names.ratio, unit: '×', value: deliveredIn(first) / deliveredIn(next) },
      ...named(`first second at ${perSecond} a second`, firstSecond),
    ];
  },
};

/** Resolves when all processes have reported that they are ready. */
async function restartAll({ pipeline }: ScenarioContext): Promise<void> {
  const names = [...pipeline.processes.keys()];
  await Promise.all([...pipeline.processes.values()].map((process) => process.stop()));
  await Promise.all(names.map((name) => pipeline.restart(name)));
}

function named(when: string, figures: readonly Figure[]): readonly Figure[] {
  return figures.map((figure) => ({ ...figure, name: `${when}: ${figure.name}` }));
}

function deliveredIn(figures: readonly Figure[]): number {
  return figures.find(({ name }) => name === figureNames.delivered)?.value ?? NaN;
}
