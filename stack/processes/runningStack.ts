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
  serversRunning,
  type ServersRunning,
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

/** The local servers of a directory, of which at least one runs. */
export interface StackState {
  readonly addresses: StackAddresses;
  readonly running: ServersRunning;
  /** Whether the servers end with the process that has started them, which runs. */
  readonly hasOwner: boolean;
}

/**
 * The state of each local server of a directory. Any process may have started the servers.
 * @returns null if none of the servers runs
 */
export async function readStackState(directory: string): Promise<StackState | null> {
  const record = await readStackRecord(resolve(directory));
  if (record === null) {
    return null;
  }
  const running = await serversRunning(record);
  return Object.values(running).includes(true)
    ? { addresses: record.addresses, running, hasOwner: await hasLivingOwner(record) }
    : null;
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
 * @param keepsDetached whether servers that were started with `until-stopped` continue if others of them have ended
 * @returns the record of these servers, otherwise null
 * @throws StackError if the servers are in use by the process that started them, or were started with `until-stopped`
 */
export async function settleFormerStart(
  directory: string,
  keepsDetached = false,
): Promise<StackRecord | null> {
  const record = await readStackRecord(directory);
  if (record === null) {
    return null;
  }
  await refuseInUse(directory, record);
  if (record.owner === null && keepsDetached) {
    return record;
  }
  await endSurvivors(directory, record);
  return null;
}

async function refuseInUse(directory: string, record: StackRecord): Promise<void> {
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
