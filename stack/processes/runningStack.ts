import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { StackError } from '../system/errors.js';
import { withLock } from './lock.js';
import { isRunning } from '../system/processHandle.js';
import {
  findSurvivors,
  isComplete,
  readStackRecord,
  removeRecord,
  type StackAddresses,
  type StackRecord,
} from './stackRecord.js';
import { endProcess } from '../system/signals.js';
import { allOf } from '../system/allOf.js';

/**
 * The addresses of the local servers that run for a directory. Any process may have started the servers.
 * @returns null if fewer than all three servers run
 */
export async function readRunningStack(directory: string): Promise<StackAddresses | null> {
  const record = await readStackRecord(resolve(directory));
  return record !== null && (await isComplete(record)) ? record.addresses : null;
}

/**
 * Ends servers that were started with the lifetime `until-stopped`, and waits until they have ended.
 * @returns false if no such server ran. Servers that belong to a running process continue.
 * @throws StackError if another process is starting or stopping the servers
 */
export async function stopDetachedStack(directory: string): Promise<boolean> {
  const place = resolve(directory);
  if (!existsSync(place)) {
    return false;
  }
  return withLock(place, async () => {
    const record = await readStackRecord(place);
    return record !== null && !(await hasLivingOwner(record)) && (await endSurvivors(place, record));
  });
}

/**
 * Ends servers that an earlier start left running, because they would block access to the data.
 * @throws StackError if the servers are in use by the process that started them, or were started with `until-stopped`
 */
export async function settleFormerStart(directory: string): Promise<void> {
  const record = await readStackRecord(directory);
  if (record === null) {
    return;
  }
  if (record.owner !== null && (await hasLivingOwner(record))) {
    throw new StackError(
      `The servers in ${directory} belong to the process ${String(record.owner.pid)}. Use these servers, ` +
        'or stop the process first.',
    );
  }
  if (record.owner === null && (await isComplete(record))) {
    throw new StackError(
      `The servers in ${directory} are already running. Use these servers, or stop the servers first.`,
    );
  }
  await endSurvivors(directory, record);
}

async function hasLivingOwner(record: StackRecord): Promise<boolean> {
  return record.owner !== null && (await isRunning(record.owner));
}

async function endSurvivors(directory: string, record: StackRecord): Promise<boolean> {
  const survivors = await findSurvivors(record);
  await allOf(survivors.map((survivor) => endProcess(survivor)));
  await removeRecord(directory);
  return survivors.length > 0;
}
