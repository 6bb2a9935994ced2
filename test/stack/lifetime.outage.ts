import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'chai';

import { readRunningStack, startStack, stopDetachedStack } from '../../stack/stack.js';
import { eventually } from '../support/eventually.js';
import { makeDirectory, removeDirectories } from './directories.js';
import { failureOf } from './failures.js';
import { processesWith, type Program, runProgram, whenNoneIsLeft } from './processes.js';

describe('the lifetime of a stack', () => {
  let directory: string;
  let program: Program;

  async function runService(lifetime: 'parent' | 'until-stopped'): Promise<void> {
    directory = await makeDirectory();
    program = runProgram('serviceProgram.ts', directory, lifetime);
  }

  after(removeDirectories);

  describe('that belongs to a process', () => {
    afterEach(async () => {
      program.child.kill('SIGKILL');
      await whenNoneIsLeft(directory);
    });

    it('ends if that process is killed with kill -9', async () => {
      await runService('parent');
      await program.nextLine();

      program.child.kill('SIGKILL');

      await whenNoneIsLeft(directory);
    });

    it('ends if that process is killed with kill -9 during the start', async () => {
      await runService('parent');
      await eventually('the first server', () =>
        existsSync(join(directory, 'logs', 'kafka.log')) ? true : null,
      );

      program.child.kill('SIGKILL');

      await whenNoneIsLeft(directory);
    });

    it('ends in order after Ctrl-C, whose signal reaches only that process', async () => {
      await runService('parent');
      await program.nextLine();

      process.kill(-program.pid, 'SIGINT');

      expect(await program.ended).to.equal(0);
      expect(await signalsSeenByMongod(directory)).to.deep.equal([15]);
    });
  });

  describe('that runs until it is stopped', () => {
    let addresses: unknown;

    before(async () => {
      await runService('until-stopped');
      addresses = JSON.parse(await program.nextLine());
    });

    after(async () => {
      program.child.kill('SIGKILL');
      await stopDetachedStack(directory);
    });

    it('has no watchdog once it has started', async () => {
      await eventually('the end of the watchdog', async () => {
        const watchdogs = await processesWith('postrider-watchdog');
        return watchdogs.some(({ parent }) => parent === program.pid) ? null : true;
      });
    });

    it('runs after Ctrl-C has ended the process that started it', async () => {
      process.kill(-program.pid, 'SIGINT');
      await program.ended;

      expect(await readRunningStack(directory)).to.deep.equal(addresses);
    });

    it('makes a second start fail with an error that says so', async () => {
      expect(await failureOf(startStack({ directory }))).to.match(
        /are already running. Use these servers, or stop the servers first/,
      );
    });

    it('has no processes after stopDetachedStack', async () => {
      const stopped = await stopDetachedStack(directory);

      expect([stopped, await processesWith(directory)]).to.deep.equal([true, []]);
    });

    it('is not found after stopDetachedStack', async () => {
      await stopDetachedStack(directory);

      expect(await readRunningStack(directory)).to.equal(null);
    });

    it('cannot be stopped twice', async () => {
      await stopDetachedStack(directory);

      expect(await stopDetachedStack(directory)).to.equal(false);
    });
  });
});

/** The signals in the log of mongod: `{"msg":"Received signal","attr":{"signal":15,…}}`. */
async function signalsSeenByMongod(directory: string): Promise<readonly number[]> {
  const log = await readFile(join(directory, 'logs', 'mongodb.log'), 'utf8');
  return [...log.matchAll(/"Received signal","attr":\{"signal":(\d+)/g)].map(([, signal]) => Number(signal));
}
