import { createServer, type AddressInfo, type Socket } from 'node:net';

import { expect } from 'chai';
import getPort from 'get-port';
import { Kafka, logLevel } from 'kafkajs';

import { createKafkaSockets } from '../../../../shared/log/kafkajs-internals/sockets.js';
import { openNow } from '../../../support/leftOpen.js';
import { eventually } from '../../../support/eventually.js';

describe('the sockets of a Kafka client', () => {
  it('do not accumulate listeners, however often a failed one is unreferenced', async () => {
    const { create } = createKafkaSockets();
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

  it('are closed with the timers of kafkajs, also those that kafkajs opens later', async () => {
    const accepted = new Set<Socket>();
    const server = createServer((connection) => {
      accepted.add(connection.on('error', () => undefined).resume());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const before = openNow();
    const sockets = createKafkaSockets();
    const kafka = new Kafka({
      brokers: [`127.0.0.1:${port}`],
      socketFactory: sockets.create,
      retry: { retries: 1, initialRetryTime: 10 },
      logLevel: logLevel.NOTHING,
    });
    const connecting = kafka.admin().connect().catch(String);
    await eventually('the connection', () => (openNow().length > before.length ? true : null));
    sockets.close();
    await connecting;
    await eventually('the end of all handles', () => (openNow().length <= before.length ? true : null));
    server.close();
    accepted.forEach((connection) => {
      connection.destroy();
    });
  });
});
