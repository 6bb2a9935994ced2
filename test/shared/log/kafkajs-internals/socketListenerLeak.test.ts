import type { Socket } from 'node:net';

import { expect } from 'chai';
import getPort from 'get-port';
import { Kafka, logLevel } from 'kafkajs';

import { createSocketFactory } from '../../../../shared/log/kafkajs-internals/socketListenerLeak.js';

describe('createSocketFactory', () => {
  it('creates sockets that do not accumulate listeners, however often a failed one is unreferenced', async () => {
    const create = createSocketFactory();
    const made: Socket[] = [];
    const kafka = new Kafka({
      brokers: [`127.0.0.1:${await getPort({ host: '127.0.0.1' })}`],
      socketFactory: (options) => {
        const socket = create(options);
        made.push(socket);
        return socket;
      },
      retry: { retries: 0 },
      logLevel: logLevel.NOTHING,
    });
    const failure = await kafka
      .admin()
      .connect()
      .catch((error: unknown) => error);
    expect(failure).to.be.an('error');

    const [socket] = made;
    for (let waiters = 0; waiters < 20; waiters += 1) {
      socket?.unref();
    }
    expect(socket?.listenerCount('connect')).to.be.lessThan(10);
  });
});
