import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { z } from 'zod';

import type { Releasers } from '../../shared/runtime/lifecycle.js';
import type { MemorySettings, Pipeline } from './pipeline.js';
import { createServicePipeline } from './servicePipeline.js';

const run = promisify(execFile);

/** The part of the module cli/start/roleMemory.ts that the benchmark uses. */
const memorySchema = z.object({
  roleMemory: z.record(z.string(), z.string()),
  roleOptions: z.array(z.string()),
});

/**
 * Checks out and builds an earlier version of the service in a temporary folder. It runs with its own memory settings.
 * @param reference a commit, a branch or a tag of this repository
 * @param releasers delete the folder
 */
export async function buildEarlierVersion(reference: string, releasers: Releasers): Promise<Pipeline> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-earlier-'));
  releasers.add('earlier version', async () => {
    await run('git', ['worktree', 'remove', '--force', folder]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  });
  await run('git', ['worktree', 'add', '--detach', folder, reference]);
  await installPackages(folder);
  await run(process.execPath, ['build.js'], { cwd: folder });
  return createServicePipeline({
    name: 'earlier',
    program: join(folder, 'dist', 'cli', 'main.js'),
    memory: await memorySettingsOf(folder),
  });
}

/** Uses the packages of the working tree if the versions are the same. */
async function installPackages(folder: string): Promise<void> {
  const lockFile = 'package-lock.json';
  const [now, before] = await Promise.all([lockFile, join(folder, lockFile)].map((file) => readFile(file)));
  if (now !== undefined && before?.equals(now)) {
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  } else {
    await run('npm', ['ci', '--ignore-scripts'], { cwd: folder });
  }
}

async function memorySettingsOf(folder: string): Promise<MemorySettings> {
  const file = join(folder, 'dist', 'cli', 'start', 'roleMemory.js');
  const module: unknown = await import(pathToFileURL(file).href);
  const { roleMemory, roleOptions } = memorySchema.parse(module);
  return { environment: roleMemory, nodeOptions: roleOptions };
}
