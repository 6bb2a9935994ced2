import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { obtainPrograms } from '../../../../stack/parts/programs.js';
import type { ServerHandle } from '../../../../stack/processes/serverProcess.js';
import { createWatchdog } from '../../../../stack/processes/watchdog.js';
import { startRedis } from '../../../../stack/servers/redis.js';
import { describeMachine } from '../../../../stack/system/machine.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';

/** A separate Redis, for tests that stop or suspend it. */
export interface TestRedis {
  readonly url: string;
  readonly server: ServerHandle;
  readonly stop: () => Promise<void>;
}

export async function startTestRedis(): Promise<TestRedis> {
  const { redisServer: program } = await obtainPrograms(describeMachine(process.env));
  const directory = await mkdtemp(join(tmpdir(), 'postrider-redis-'));
  const watchdog = createWatchdog();
  const { url, server } = await startRedis(
    { program, directory, logFile: join(directory, 'redis.log'), persistent: false },
    { environment: process.env, watchdog },
  );
  return {
    url,
    server,
    stop: closeAtEndOfFile(async () => {
      await server.kill();
      watchdog.close();
      await rm(directory, { recursive: true, force: true });
    }),
  };
}
