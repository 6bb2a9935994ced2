import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { startStack, type RunningStack } from '../../stack/stack.js';
import { hurtSettings, runHurt, type HurtResult, type Scene } from '../support/crashes/hurtRun.js';
import { testEnds } from '../support/crashes/testEnds.js';
import { eventually } from '../support/eventually.js';
import { settingsOn } from '../support/settings.js';

/** The time with events before and after the crash. */
const aroundMs = 3000;
const awayMs = 2000;
/** No process gives up before. After a longer outage, the operator intervenes. */
const deadlineMs = 60_000;

/** The time after the recovery of the broker, in milliseconds. */
interface Recovery {
  readonly acceptedMs: number;
  readonly deliveredMs: number;
  /** The time of a retry of a delivery that had failed. All roles take part in a retry. */
  readonly retriedMs: number;
}

describe('a crash of the only broker during deliveries', function () {
  this.timeout(300_000);

  let directory: string;
  let stack: RunningStack;
  let result: HurtResult & { readonly told: Recovery };

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-killed-'));
    stack = await startStack({ directory, ephemeral: true });
    const settings = settingsOn(stack.addresses, hurtSettings);
    result = await runHurt({ settings, seed: 13, eventsPerSecond: 40 }, async (scene) => {
      await pause(aroundMs);
      await stack.kafka.kill();
      await pause(awayMs);
      await stack.kafka.restart();
      const recovery = await recoveryOf(scene);
      await pause(aroundMs);
      return recovery;
    });
    const { acceptedMs, deliveredMs, retriedMs } = result.told;
    process.stdout.write(
      `    back after ${acceptedMs} ms (accepted), ${deliveredMs} ms (delivered), ${retriedMs} ms (repeated)\n`,
    );
  });

  after(async () => {
    await stack.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('is followed by events, deliveries and retries without an operator', () => {
    expect(Object.values(result.told).every((ms) => ms < deadlineMs)).to.equal(true);
  });

  testEnds(() => result);
});

async function recoveryOf({ ledger, posting }: Scene): Promise<Recovery> {
  const startedAt = performance.now();
  const before = new Set(posting.accepted());
  const since = async (what: string, isThere: () => boolean) => {
    await eventually(what, () => (isThere() ? true : null), deadlineMs);
    return Math.round(performance.now() - startedAt);
  };
  const fresh = () => [...posting.accepted()].filter((id) => !before.has(id));
  const arrivedAt = (webhook: string, times: number) =>
    fresh().some((id) => (ledger.arrivals().get(`${webhook}/${id}`) ?? 0) >= times);
  const [acceptedMs, deliveredMs, retriedMs] = await Promise.all([
    since('an accepted event', () => fresh().length > 0),
    since('a delivery', () => arrivedAt('steady', 1)),
    since('a repeated delivery', () => arrivedAt('broken', 2)),
  ]);
  return { acceptedMs, deliveredMs, retriedMs };
}
