import { mkdir } from 'node:fs/promises';

import { type Db, MongoClient, MongoError, MongoServerError } from 'mongodb';
import { z } from 'zod';

import { isListening, loopback, portsOf, withFreePorts } from '../system/ports.js';
import {
  type FormerServer,
  type ServerHandle,
  type ServerHost,
  startServerProcess,
} from '../processes/serverProcess.js';
import { until } from '../system/polling.js';

const replicaSet = 'postrider';
const cacheGibibytes = 0.25;
const oplogMebibytes = 256;

export interface MongodOptions {
  readonly program: string;
  readonly directory: string;
  readonly logFile: string;
  /** Whether the server has the command `configureFailPoint`. */
  readonly hasFailPoints?: boolean;
  readonly former?: FormerServer | undefined;
}

const transactionSeconds = 10;

/**
 * Starts a mongod on a free port, or on its former port, as a replica set of one member. Transactions and majority writes
 * need a replica set. A former server that runs is used.
 */
export function startMongod(
  options: MongodOptions,
  host: ServerHost,
): Promise<{ url: string; server: ServerHandle }> {
  return withFreePorts(
    1,
    async ([port = 0]) => {
      await mkdir(options.directory, { recursive: true });
      const server = await startServerProcess(
        {
          name: 'MongoDB',
          program: options.program,
          args: [
            ...['--bind_ip', loopback, '--port', String(port), '--nounixsocket'],
            ...['--dbpath', options.directory, '--replSet', replicaSet],
            ...['--wiredTigerCacheSizeGB', String(cacheGibibytes), '--oplogSize', String(oplogMebibytes)],
            ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
            // The transaction of a killed process blocks its documents until this time has passed.
            ...['--setParameter', `transactionLifetimeLimitSeconds=${String(transactionSeconds)}`],
            ...(options.hasFailPoints === true ? ['--setParameter', 'enableTestCommands=1'] : []),
          ],
          logFile: options.logFile,
          whenReady: (pid, signal) => becomePrimary(port, pid, signal),
        },
        host,
        options.former?.running,
      );
      return { url: `mongodb://${loopback}:${String(port)}/?replicaSet=${replicaSet}`, server };
    },
    portsOf(options.former),
  );
}

/** Waits for the mongod and makes it the primary of a replica set with one member. */
async function becomePrimary(port: number, pid: number, signal: AbortSignal): Promise<void> {
  // The driver checks only twice a second whether a server listens, so this function checks the port itself.
  await until(() => isListening(port), { timeoutMs: Infinity, signal });
  const host = `${loopback}:${String(port)}`;
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`, {
    serverSelectionTimeoutMS: 1_000,
  });
  try {
    await until(() => isPrimary(client.db('admin'), { host, pid }), { timeoutMs: Infinity, signal });
  } finally {
    await client.close();
  }
}

async function isPrimary(admin: Db, member: { host: string; pid: number }): Promise<boolean> {
  try {
    // The server of another stack may have taken the port, while the new server is about to fail.
    const status = await admin.command({ serverStatus: 1 });
    if (Number(status['pid']) !== member.pid) {
      return false;
    }
    const hello = await admin.command({ hello: 1 });
    if (hello['isWritablePrimary'] === true && hello['me'] === member.host) {
      return true;
    }
    await configureReplicaSet(admin, member.host);
    return false;
  } catch (error) {
    // The mongod loads its configuration, elects itself or does not listen yet.
    if (error instanceof MongoError) {
      return false;
    }
    throw error;
  }
}

const configSchema = z.looseObject({
  version: z.number(),
  members: z.array(z.looseObject({ host: z.string() })),
});

/**
 * Sets the current port of the replica set's member. If the configuration contains only an earlier port of the member,
 * mongod accepts only a forced configuration.
 */
async function configureReplicaSet(admin: Db, host: string): Promise<void> {
  const current = await readConfig(admin);
  if (current === null) {
    await admin.command({ replSetInitiate: { _id: replicaSet, members: [{ _id: 0, host }] } });
  } else if (current.members[0]?.host !== host) {
    const members = current.members.map((member) => ({ ...member, host }));
    const replSetReconfig = { ...current, version: current.version + 1, members };
    await admin.command({ replSetReconfig, force: true });
  }
}

const notYetInitialized = 94;

async function readConfig(admin: Db): Promise<z.infer<typeof configSchema> | null> {
  try {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    return configSchema.parse(config);
  } catch (error) {
    if (error instanceof MongoServerError && error.code === notYetInitialized) {
      return null;
    }
    throw error;
  }
}
