import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'chai';

import { readRunningStack, type RunningStack, startStack } from '../../stack/stack.js';
import { allOf } from '../../stack/system/allOf.js';
import { makeDirectory, removeDirectories } from './directories.js';
import { failureOf } from './failures.js';
import { processesWith } from './processes.js';
import { appendRecord, insertDocument, readDocument, readStackRecord, sendRedis } from './serverClients.js';

describe('startStack', () => {
  describe('called twice at the same time', () => {
    let directory: string;
    let otherDirectory: string;
    let stack: RunningStack;
    let other: RunningStack;

    before(async () => {
      directory = await makeDirectory();
      otherDirectory = await makeDirectory();
      [stack, other] = await allOf([
        startStack({ directory, ephemeral: true }),
        startStack({ directory: otherDirectory }),
      ]);
    });

    after(async () => {
      await Promise.all([stack.stop(), other.stop()]);
      await removeDirectories();
    });

    it('starts a Kafka that stores records', async () => {
      await appendRecord(stack.addresses, 'letter', 'first');

      expect(await readStackRecord(stack.addresses, 'letter')).to.equal('first');
    });

    it('starts a MongoDB with transactions and majority writes', async () => {
      await insertDocument(stack.addresses, 'first');

      expect(await readDocument(stack.addresses, 'first')).to.deep.equal({ _id: 'first' });
    });

    it('starts a Redis', async () => {
      expect(await sendRedis(stack.addresses, 'PING')).to.equal('+PONG');
    });

    it('separates the documents of the two stacks', async () => {
      await insertDocument(stack.addresses, 'mine');

      expect(await readDocument(other.addresses, 'mine')).to.equal(null);
    });

    it('records the addresses in its directory', async () => {
      expect(await readRunningStack(directory)).to.deep.equal(stack.addresses);
    });

    it('rejects a second start in its directory and names the process that has started the servers', async () => {
      const message = await failureOf(startStack({ directory }));

      expect(message).to.match(
        new RegExp(`belong to the process ${process.pid}. Use these servers, or stop the process first`),
      );
    });

    it('starts another process at the same address for a killed server', async () => {
      const servers = [stack.kafka, stack.mongodb, stack.redis];
      const former = servers.map(({ pid }) => pid);
      await Promise.all(servers.map((server) => server.kill()));

      await Promise.all(servers.map((server) => server.restart()));

      expect(former).to.not.include.members(servers.map(({ pid }) => pid));
      expect(await readRunningStack(directory)).to.deep.equal(stack.addresses);
    });

    it('records no running stack while one of its servers is dead', async () => {
      await stack.redis.kill();

      const found = await readRunningStack(directory);

      await stack.redis.restart();
      expect(found).to.equal(null);
    });

    it('leaves no data if the stack was ephemeral', async () => {
      await stack.stop();

      expect(await readdir(directory)).to.deep.equal(['logs']);
    });

    describe('and repeated after a crash', () => {
      before(async () => {
        await appendRecord(other.addresses, 'letter', 'kept');
        await insertDocument(other.addresses, 'kept');
        await Promise.all([other.kafka.kill(), other.mongodb.kill(), other.redis.kill()]);
        await other.stop();
        other = await startStack({ directory: otherDirectory });
      });

      it('finds the records', async () => {
        expect(await readStackRecord(other.addresses, 'letter')).to.equal('kept');
      });

      it('finds the documents', async () => {
        expect(await readDocument(other.addresses, 'kept')).to.deep.equal({ _id: 'kept' });
      });
    });
  });

  it('stops all servers if one does not start, and fails with the end of its log', async () => {
    const directory = await makeDirectory();
    await blockMongodb(directory);

    const failure = await failureOf(startStack({ directory }));

    expect([failure.split('\n')[0], await processesWith(directory)]).to.deep.equal([
      `MongoDB did not start: it ended with code 100. The end of its log, ${directory}/logs/mongodb.log:`,
      [],
    ]);
  });
});

/** Creates a directory instead of the lock file of MongoDB, so that MongoDB cannot start. */
async function blockMongodb(directory: string): Promise<void> {
  await mkdir(join(directory, 'mongodb', 'mongod.lock'), { recursive: true });
}
