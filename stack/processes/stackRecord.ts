import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { hasCode } from '../system/errors.js';
import { isRunning, type ProcessHandle, processHandleSchema } from '../system/processHandle.js';

const addressesSchema = z.object({
  kafka: z.object({ brokers: z.array(z.string()).min(1) }),
  mongodb: z.object({ url: z.string() }),
  redis: z.object({ url: z.string() }),
});

/** The addresses of the local servers. The address `mongodb.url` contains no database. */
export type StackAddresses = z.infer<typeof addressesSchema>;

const recordSchema = z.object({
  addresses: addressesSchema,
  /** The process with which the servers end, or null if the servers run until they are stopped. */
  owner: processHandleSchema.nullable(),
  servers: z.object({
    kafka: processHandleSchema,
    mongodb: processHandleSchema,
    redis: processHandleSchema,
  }),
});

/**
 * The content of `stack.json`: the local servers that were started in a directory. The servers in `stack.json` may have
 * ended since.
 */
export type StackRecord = Readonly<z.infer<typeof recordSchema>>;

/** The record of the last start of local servers in a directory, or null if `stack.json` is missing or invalid. */
export async function readStackRecord(directory: string): Promise<StackRecord | null> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(recordFile(directory), 'utf8')));
  } catch (error) {
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError || error instanceof z.ZodError) {
      return null;
    }
    throw error;
  }
}

/** Replaces the record in one step. A process that reads during the replacement gets the old or the new record. */
export async function writeRecord(directory: string, record: StackRecord): Promise<void> {
  const aside = `${recordFile(directory)}.new`;
  await writeFile(aside, `${JSON.stringify(record, null, 2)}\n`);
  await rename(aside, recordFile(directory));
}

export async function removeRecord(directory: string): Promise<void> {
  await rm(recordFile(directory), { force: true });
}

/** The servers of a record that still run. */
export async function findSurvivors(record: StackRecord): Promise<readonly ProcessHandle[]> {
  const servers = Object.values(record.servers);
  const running = await Promise.all(servers.map(isRunning));
  return servers.filter((_, index) => running[index]);
}

export type ServerName = keyof StackRecord['servers'];

export const serverNames = ['kafka', 'mongodb', 'redis'] as const satisfies readonly ServerName[];

/** Whether each server of a record runs. */
export type ServersRunning = Readonly<Record<ServerName, boolean>>;

export async function serversRunning({ servers }: StackRecord): Promise<ServersRunning> {
  const [kafka, mongodb, redis] = await Promise.all([
    isRunning(servers.kafka),
    isRunning(servers.mongodb),
    isRunning(servers.redis),
  ]);
  return { kafka, mongodb, redis };
}

/** Whether all servers of a record run. */
export async function isComplete(record: StackRecord): Promise<boolean> {
  return (await findSurvivors(record)).length === Object.keys(record.servers).length;
}

function recordFile(directory: string): string {
  return join(directory, 'stack.json');
}
