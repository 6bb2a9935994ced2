import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect } from 'chai';

import { identifyProcess, identifySelf, type ProcessHandle } from '../../../stack/system/processHandle.js';
import { readStackRecord, type StackRecord, writeRecord } from '../../../stack/processes/stackRecord.js';
import {
  readRunningStack,
  readStackState,
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
  const started: ProcessHandle[] = [];

  beforeEach(async () => {
    directory = await makeDirectory();
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => endProcess(server, 'SIGKILL')));
    await removeDirectories();
  });

  /** A process instead of a server. */
  async function startServerProcess(): Promise<ProcessHandle> {
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

  it('contains the addresses of running servers', async () => {
    await record();

    expect(await readRunningStack(directory)).to.deep.equal(addresses);
  });

  it('is null if it does not exist', async () => {
    expect(await readRunningStack(directory)).to.equal(null);
  });

  it('is null if one server is dead', async () => {
    const { servers } = await record();
    await endProcess(servers.redis);

    expect(await readRunningStack(directory)).to.equal(null);
  });

  it('shows which servers run', async () => {
    const { servers } = await record();
    await endProcess(servers.kafka, 'SIGKILL');

    expect(await readStackState(directory)).to.deep.equal({
      ...{ addresses, hasOwner: false },
      running: { kafka: false, mongodb: true, redis: true },
    });
  });

  it('is null if no server runs', async () => {
    const { servers } = await record({ owner: await identifySelf() });
    await Promise.all(Object.values(servers).map((server) => endProcess(server)));

    expect(await readStackState(directory)).to.equal(null);
  });

  it('is null if another process has a server’s pid', async () => {
    const { servers } = await record();
    await record({ servers: { ...servers, redis: { ...servers.redis, startedAt: '1' } } });

    expect(await readRunningStack(directory)).to.equal(null);
  });

  describe('at a stop', () => {
    it('leads to the end of the servers', async () => {
      const recorded = await record();

      const stopped = await stopDetachedStack(directory);

      expect([stopped, ...(await areRunning(recorded))]).to.deep.equal([true, false, false, false]);
    });

    it('does not affect a process that has a dead server’s pid', async () => {
      const unrelated = await startServerProcess();
      await record({
        servers: {
          kafka: { ...unrelated, startedAt: '1' },
          mongodb: { ...unrelated, startedAt: '2' },
          redis: { ...unrelated, startedAt: '3' },
        },
      });

      await stopDetachedStack(directory);

      expect(await identifyProcess(unrelated.pid)).to.deep.equal(unrelated);
    });

    it('does not affect servers that belong to a running process', async () => {
      const recorded = await record({ owner: await identifySelf() });

      const stopped = await stopDetachedStack(directory);

      expect([stopped, ...(await areRunning(recorded))]).to.deep.equal([false, true, true, true]);
    });

    it('may be missing, together with its directory', async () => {
      expect(await stopDetachedStack(`${directory}/none`)).to.equal(false);
    });
  });

  describe('at another start', () => {
    it('leads to an error while the process runs that the servers belong to', async () => {
      await record({ owner: await identifySelf() });

      expect(await failureOf(settleFormerStart(directory))).to.match(
        /belong to the process \d+\. Use these servers, or stop the process/,
      );
    });

    it('leads to an error while servers run that do not belong to a process', async () => {
      await record();

      expect(await failureOf(settleFormerStart(directory))).to.match(
        /are already running. Use these servers, or stop the servers/,
      );
    });

    it('is removed, and its servers are ended, if the process that they belong to was killed', async () => {
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

    it('is returned, and the other servers continue, if one server is dead and the others are to be kept', async () => {
      const recorded = await record();
      await endProcess(recorded.servers.kafka, 'SIGKILL');

      const kept = await settleFormerStart(directory, true);

      expect([kept, await areRunning(recorded)]).to.deep.equal([recorded, [false, true, true]]);
    });

    it('is removed, and the other servers are ended, if one server is dead', async () => {
      const recorded = await record();
      await endProcess(recorded.servers.kafka, 'SIGKILL');

      await settleFormerStart(directory);

      expect(await areRunning(recorded)).to.deep.equal([false, false, false]);
    });
  });
});
