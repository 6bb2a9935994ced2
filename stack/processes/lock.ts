import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { hasCode, StackError } from '../system/errors.js';
import { identifySelf, isRunning, type ProcessHandle, processHandleSchema } from '../system/processHandle.js';

const attempts = 10;

/**
 * Runs `work` in the only process that starts or stops servers in a directory. The lock of a dead process is taken
 * over.
 * @throws StackError if a living process has the lock. Errors of `work` are passed on.
 */
export async function withLock<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  const file = join(directory, 'stack.lock');
  await acquire(file);
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function acquire(file: string): Promise<void> {
  const claim = `${file}.${randomUUID()}`;
  await writeFile(claim, JSON.stringify(await identifySelf()));
  try {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (await take(claim, file)) {
        return;
      }
      await removeWhereDead(file);
    }
  } finally {
    await rm(claim, { force: true });
  }
  throw new StackError(`Other processes keep taking the lock file ${file}. Try again.`);
}

/**
 * Takes the lock by creating a hard link. The link has its content from the start, and its creation fails if the name
 * exists. No process therefore reads a half-written lock.
 */
async function take(claim: string, file: string): Promise<boolean> {
  try {
    await link(claim, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) {
      return false;
    }
    throw error;
  }
}

async function removeWhereDead(file: string): Promise<void> {
  const content = await readContent(file);
  if (content === undefined) {
    return;
  }
  const holder = parseHolder(content);
  if (holder !== null && (await isRunning(holder))) {
    throw new StackError(
      `Process ${String(holder.pid)} is starting or stopping the local servers (lock file ${file}). ` +
        'Wait until the process has finished, or end the process, and try again.',
    );
  }
  // A third process may have replaced the lock of the dead process since this process has read it. The content of the
  // moved lock file is therefore compared again.
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
    if ((await readContent(aside)) !== content) {
      await take(aside, file);
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) {
      throw error;
    }
  } finally {
    await rm(aside, { force: true });
  }
}

async function readContent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) {
      return undefined;
    }
    throw error;
  }
}

function parseHolder(content: string): ProcessHandle | null {
  try {
    return processHandleSchema.parse(JSON.parse(content));
  } catch {
    return null;
  }
}
