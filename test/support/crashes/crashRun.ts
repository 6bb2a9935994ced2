import { setTimeout as pause } from 'node:timers/promises';

import { eventually } from '../eventually.js';
import { isolatedSettings } from '../settings.js';
import { hurtSettings, runHurt, type HurtPlan, type HurtResult, type Scene } from './hurtRun.js';

export interface CrashPlan extends Omit<HurtPlan, 'settings'> {
  /** The processes to kill, one after the other. `all projections` are stopped until the next step is done. */
  readonly kills: readonly ('delivery' | 'projections' | 'all projections')[];
  readonly betweenKillsMs: { readonly least: number; readonly most: number };
}

export interface Kill {
  readonly what: string;
  /** The requests that the receiver had not answered at the time of the kill. */
  readonly open: number;
}

export interface CrashResult extends HurtResult {
  readonly kills: readonly Kill[];
  /** The number of events that were posted and delivered while all projections were stopped. Null if they were not stopped. */
  readonly deliveredWithoutProjections: number | null;
}

/** Posts events, kills processes by the plan meanwhile, and waits until every delivery has ended. */
export async function runCrashes({ kills, betweenKillsMs, ...plan }: CrashPlan): Promise<CrashResult> {
  const settings = await isolatedSettings(hurtSettings);
  const { told, ...result } = await runHurt({ ...plan, settings }, (scene) =>
    killAll({ kills, betweenKillsMs }, scene),
  );
  return { ...result, ...told };
}

async function killAll({ kills, betweenKillsMs }: Pick<CrashPlan, 'kills' | 'betweenKillsMs'>, scene: Scene) {
  const { crew, ledger, random, posting } = scene;
  const done: Kill[] = [];
  let deliveredWithoutProjections: number | null = null;
  const { least, most } = betweenKillsMs;
  for (const what of kills) {
    await pause(least + (most - least) * random());
    // Wait for requests in flight, which occur under load. Without them the kill would prove nothing.
    await eventually('a request in flight', () => (ledger.open() > 0 ? true : null), 20_000);
    done.push({ what, open: ledger.open() });
    if (what === 'all projections') {
      await crew.kill('projections', 0);
      await crew.kill('projections', 0);
      const before = new Set(posting.accepted());
      await crew.kill('delivery', random());
      await crew.refill('delivery');
      deliveredWithoutProjections = await deliveredSince(before, scene);
    } else {
      await crew.kill(what, random());
    }
    await Promise.all([crew.refill('projections'), crew.refill('delivery')]);
  }
  return { kills: done, deliveredWithoutProjections };
}

const eventsWithoutProjections = 20;

/** Waits for deliveries of events that were posted while no projection was running. */
function deliveredSince(before: ReadonlySet<string>, { ledger, posting }: Scene): Promise<number> {
  return eventually(
    'deliveries without projections',
    () => {
      const fresh = [...posting.accepted()].filter((id) => !before.has(id));
      const delivered = fresh.filter((id) => ledger.arrivals().has(`steady/${id}`));
      return delivered.length >= eventsWithoutProjections ? delivered.length : null;
    },
    20_000,
  );
}
