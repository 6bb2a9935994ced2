import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { expect } from 'chai';

import { startIndexBuild } from '../../../projections/generations/generationRunner.js';
import { connectMongo } from '../../../shared/store/client/client.js';
import { createGenerationStore } from '../../../shared/store/generations/generationStore.js';
import { webhookIndexes } from '../../../shared/store/models/indexes.js';
import { eventually } from '../../support/eventually.js';
import { createOpened } from '../../support/opened.js';
import { isolatedConfig } from '../../support/settings.js';

/** The time for which any other operation may wait for an answer. */
const othersMs = 500;
const buildMs = 2 * othersMs;

/** A proxy of the database that delays the answer to an index build as a large collection does. */
async function openSlowWay(url: string) {
  const { hostname, port, pathname } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(port), hostname);
    let answersAt = 0;
    socket.on('data', (bytes) => {
      answersAt = bytes.includes('createIndexes') ? performance.now() + buildMs : 0;
      onward.write(bytes);
    });
    onward.on('data', (bytes) => {
      setTimeout(() => socket.write(bytes), Math.max(0, answersAt - performance.now()));
    });
    for (const one of [socket, onward]) {
      sockets.add(one.on('error', () => undefined));
    }
    socket.on('close', () => onward.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `mongodb://127.0.0.1:${address.port}${pathname}?directConnection=true&socketTimeoutMS=${othersMs}`,
    close: () => {
      server.close();
      sockets.forEach((socket) => socket.destroy());
    },
  };
}

describe('startIndexBuild', () => {
  const opened = createOpened();
  afterEach(opened.releaseAll);

  it('builds indexes for longer than other operations may take', async () => {
    const config = await isolatedConfig();
    const way = await openSlowWay(config.mongodb.url);
    opened.add('way', way.close);
    const mongo = await connectMongo(config.mongodb.url, 'test');
    opened.add('mongodb', mongo.close);
    const slow = await connectMongo(way.url, 'test');
    opened.add('slow mongodb', slow.close);
    const offsets = { ends: () => Promise.resolve([]) };
    const { live } = await createGenerationStore({ database: mongo.database, offsets }).ensureLive(
      'webhooks',
    );
    await mongo.database.collection(live).dropIndexes();
    const store = createGenerationStore({ database: slow.database, offsets });
    const startedAt = performance.now();
    await store.ensureIndexes('webhooks', live);
    const tookMs = performance.now() - startedAt;
    const indexes = await mongo.database.collection(live).indexes();

    expect([tookMs >= buildMs, indexes.length]).to.deep.equal([true, Object.keys(webhookIndexes).length + 1]);
  });

  it('retries until the indexes exist, and logs why', async () => {
    let tries = 0;
    const warnings: unknown[] = [];
    const end = startIndexBuild({
      ensureIndexes: () => {
        tries += 1;
        return tries < 3 ? Promise.reject(new Error('no primary')) : Promise.resolve();
      },
      logger: { warn: (details: unknown) => warnings.push(details) },
      restMs: 1,
    });
    opened.add('build', end);
    await eventually('the third try', () => (tries === 3 ? true : null));

    expect(warnings).to.deep.equal([{ error: 'no primary' }, { error: 'no primary' }]);
  });

  it('ends without waiting for a build, and ignores the result of the build', async () => {
    const warnings: unknown[] = [];
    let fail: ((error: Error) => void) | null = null;
    const end = startIndexBuild({
      ensureIndexes: () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
      logger: { warn: (details: unknown) => warnings.push(details) },
    });
    const failBuild = await eventually('a build', () => fail);
    end();
    failBuild(new Error('the connection to Redis was closed'));
    await Promise.resolve();

    expect(warnings).to.deep.equal([]);
  });
});
