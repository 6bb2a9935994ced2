import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { startStack, type RunningStack } from '../../stack/stack.js';
import { hurtSettings, runHurt, type HurtResult } from '../support/crashes/hurtRun.js';
import { testEnds } from '../support/crashes/testEnds.js';
import { settingsOn } from '../support/settings.js';
import { printEnds } from './printEnds.js';

const pauseMs = 30_000;
/** The time before and after the outage, so that deliveries are always in flight. */
const aroundMs = 5000;

for (const server of ['kafka', 'mongodb', 'redis'] as const) {
  describe(`a pause of ${server} for ${pauseMs / 1000} s during deliveries`, function () {
    this.timeout(300_000);

    let directory: string;
    let stack: RunningStack;
    let result: HurtResult;

    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'postrider-away-'));
      stack = await startStack({ directory, ephemeral: true });
      const settings = settingsOn(stack.addresses, hurtSettings);
      result = await runHurt({ settings, seed: 11, eventsPerSecond: 60 }, async () => {
        await pause(aroundMs);
        stack[server].pause();
        await pause(pauseMs);
        stack[server].resume();
        await pause(aroundMs);
      });
      printEnds(`${server} paused for ${pauseMs / 1000} s`, result);
    });

    after(async () => {
      await stack.stop();
      await rm(directory, { recursive: true, force: true });
    });

    testEnds(() => result);
  });
}
