import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect } from 'chai';

import {
  identifyProcess,
  identifySelf,
  type ProcessIdentity,
} from '../../../stack/system/processIdentity.js';
import { readStackRecord, type StackRecord, writeRecord } from '../../../stack/processes/stackRecord.js';
import {
  readRunningStack,
  settleFormerStart,
  stopDetachedStack,
} from '../../../stack/processes/runningStack.js';
import { endProcess } from '../../../stack/system/signals.js';
import { makeDirectory, removeDirectories } from '../directories.js';
import { failureOf } from '../failures.js';

const addresses = {
  kafka: { brokers: ['127.0.0.1:15001'] },
  mongodb: { url: 'mongodb://127.0.0.1:15002/' },
  redis: { url: 'redis://127.0.0.1:15003' },
};

describe('the record of a stack', () => {
  let directory: string;
  const started: ProcessIdentity[] = [];

  beforeEach(async () => {
    directory = await makeDirectory();
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => endProcess(server, 'SIGKILL')));
    await removeDirectories();
  });

  /** A process that stands for a server. */
  async function startServerProcess(): Promise<ProcessIdentity> {
    const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    const identity = await identifyProcess(child.pid ?? 0);
    if (identity === null) {
      throw new Error('sleep did not start');
    }
    started.push(identity);
    return identity;
  }

  async function record(change: Partial<StackRecord> = {}): Promise<StackRecord> {
    const servers = {
      kafka: await startServerProcess(),
      mongodb: await startServerProcess(),
      redis: await startServerProcess(),
    };
    const made = { addresses, owner: null, servers, ...change };
    await writeRecord(directory, made);
    return made;
  }

  const areRunning = async ({ servers }: StackRecord) =>
    Promise.all(Object.values(servers).map(async ({ pid }) => (await identifyProcess(pid)) !== null));

  it('gives the addresses of servers that run', async () => {
    await record();

    expect(await readRunningStack(directory)).to.deep.equal(addresses);
  });

  it('returns null if there is none', async () => {
    expect(await readRunningStack(directory)).to.equal(null);
  });

  it('returns null if one server is dead', async () => {
    const { servers } = await record();
    await endProcess(servers.redis);

    expect(await readRunningStack(directory)).to.equal(null);
  });

  it('returns null if another process has a server’s pid', async () => {
    const { servers } = await record();
    await record({ servers: { ...servers, redis: { ...servers.redis, startedAt: '1' } } });

    expect(await readRunningStack(directory)).to.equal(null);
  });

  describe('to be stopped', () => {
    it('ends the servers', async () => {
      const recorded = await record();

      const stopped = await stopDetachedStack(directory);

      expect([stopped, ...(await areRunning(recorded))]).to.deep.equal([true, false, false, false]);
    });

    it('spares a process that got a dead server’s pid', async () => {
      const bystander = await startServerProcess();
      await record({
        servers: {
          kafka: { ...bystander, startedAt: '1' },
          mongodb: { ...bystander, startedAt: '2' },
          redis: { ...bystander, startedAt: '3' },
        },
      });

      await stopDetachedStack(directory);

      expect(await identifyProcess(bystander.pid)).to.deep.equal(bystander);
    });

    it('leaves servers to the process that they belong to', async () => {
      const recorded = await record({ owner: await identifySelf() });

      const stopped = await stopDetachedStack(directory);

      expect([stopped, ...(await areRunning(recorded))]).to.deep.equal([false, true, true, true]);
    });

    it('is nothing to do in a directory that does not exist', async () => {
      expect(await stopDetachedStack(`${directory}/none`)).to.equal(false);
    });
  });

  describe('before another start', () => {
    it('is in the way while the process that the servers belong to runs', async () => {
      await record({ owner: await identifySelf() });

      expect(await failureOf(settleFormerStart(directory))).to.match(
        /belong to process \d+: use them, or stop it/,
      );
    });

    it('is in the way while servers run that were meant to stay', async () => {
      await record();

      expect(await failureOf(settleFormerStart(directory))).to.match(/run already: use them, or stop them/);
    });

    it('is cleared away with the survivors of a process that was killed', async () => {
      const owner = await startServerProcess();
      const recorded = await record({ owner });
      await endProcess(owner, 'SIGKILL');

      await settleFormerStart(directory);

      expect([await readStackRecord(directory), ...(await areRunning(recorded))]).to.deep.equal([
        null,
        false,
        false,
        false,
      ]);
    });

    it('is removed together with the servers that still run if one server is dead', async () => {
      const recorded = await record();
      await endProcess(recorded.servers.kafka, 'SIGKILL');

      await settleFormerStart(directory);

      expect(await areRunning(recorded)).to.deep.equal([false, false, false]);
    });
  });
});
