import type { Disturbance } from '../neighbors/disturbance.js';
import type { Figure } from '../results/result.js';
import { readPhase, rest, settle, type Phase } from './pairedReads.js';
import type { ScenarioContext } from './scenario.js';

/** One value for the load whose cost is measured, and one for the control: a load of the same size without this cost. */
export interface Phases<Value> {
  readonly hostile: Value;
  readonly harmless: Value;
}

export const controlledNames = {
  ratio: 'p99 of reads next to the hostile load / next to the harmless load',
  failed: 'reads that were not answered with 200',
} as const;

const rounds = 10;
const seconds = 10;
/** The names of the phases in figures. */
const titles: Phases<string> = { hostile: 'next to the hostile load', harmless: 'next to the harmless load' };

/**
 * Reads an event of the measured account next to two loads in turn, after one phase without any. Any load costs its neighbors something,
 * so only the ratio between the two loads shows what hostility costs.
 */
export async function readNextToControlled(
  context: ScenarioContext,
  url: string,
  loads: Phases<() => Disturbance>,
): Promise<readonly Figure[]> {
  const nextToLoad = async (name: keyof typeof loads) => {
    const load = loads[name]();
    const phase = await readPhase(context, url, seconds);
    await load.stop();
    await settle(context);
    return phase;
  };
  await rest(context);
  const figures = [...figuresOf('alone', await readPhase(context, url, seconds))];
  for (let round = 0; round < rounds; round += 1) {
    // Each load comes first in half of the rounds, so a machine that becomes slower affects both.
    const isHarmlessFirst = round % 2 === 0;
    const first = await nextToLoad(isHarmlessFirst ? 'harmless' : 'hostile');
    const second = await nextToLoad(isHarmlessFirst ? 'hostile' : 'harmless');
    const [harmless, hostile] = isHarmlessFirst ? [first, second] : [second, first];
    figures.push(
      ...figuresOf(titles.harmless, harmless),
      ...figuresOf(titles.hostile, hostile),
      { name: controlledNames.ratio, unit: '×', value: hostile.p99 / harmless.p99 },
      { name: controlledNames.failed, unit: 'requests', value: hostile.failed + harmless.failed },
    );
  }
  return figures;
}

function figuresOf(title: string, { p50, p99, cpuShare }: Phase): readonly Figure[] {
  return [
    { name: `p50 of reads, ${title}`, unit: 'ms', value: p50 },
    { name: `p99 of reads, ${title}`, unit: 'ms', value: p99 },
    { name: `CPU of the API, ${title}`, unit: '% of a core', value: cpuShare * 100 },
  ];
}
