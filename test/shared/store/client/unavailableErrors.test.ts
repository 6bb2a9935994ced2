import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { expect } from 'chai';

import { UnavailableError } from '../../../../shared/core/errors.js';
import { mapUnavailableErrors } from '../../../../shared/store/client/unavailableErrors.js';
import { createOpened } from '../../../support/opened.js';
import { testStack } from '../../../support/stack.js';
import { openMongo } from '../../../support/mongo.js';

const channel = 'net.client.socket';

describe('mapUnavailableErrors', () => {
  const opened = createOpened();
  afterEach(opened.releaseAll);

  /** A proxy of the database that ends connections as a crash does. */
  async function openWay() {
    const { mongodb } = await testStack();
    const { hostname, port } = new URL(mongodb.url);
    const connections: Socket[] = [];
    const server = createServer((socket) => {
      connections.push(socket);
      const onward = connect(Number(port), hostname);
      socket.on('error', () => undefined).pipe(onward);
      onward.on('error', () => undefined).pipe(socket);
    }).listen(0, '127.0.0.1');
    opened.add('way', () => {
      server.close();
      connections.forEach((socket) => socket.destroy());
    });
    await once(server, 'listening');
    const address = server.address() as AddressInfo;
    const end = () => {
      server.close();
      connections.forEach((socket) => socket.end());
    };
    return { port: address.port, url: `mongodb://127.0.0.1:${address.port}/?directConnection=true`, end };
  }

  /** The connections that this process opens from now on. */
  function watchSockets() {
    const sockets: Socket[] = [];
    const add = (message: unknown) => {
      sockets.push((message as { readonly socket: Socket }).socket);
    };
    subscribe(channel, add);
    opened.add('watch', () => void unsubscribe(channel, add));
    return sockets;
  }

  it('reports an unavailable database if a connection ends during a write', async () => {
    const way = await openWay();
    const sockets = watchSockets();
    const { database } = await openMongo(way.url);
    await database.command({ ping: 1 });
    const ended = sockets.filter(({ remotePort }) => remotePort === way.port);
    const failures = ended.map(async (socket) => {
      // The server has ended the connection, and the driver does not know yet.
      await new Promise((resolve) => socket.prependListener('end', resolve));
      return mapUnavailableErrors(database.collection('any').find().toArray()).catch(
        (error: unknown) => error,
      );
    });
    way.end();

    expect(
      (await Promise.all(failures)).filter((error) => !(error instanceof UnavailableError)),
    ).to.deep.equal([]);
  });
});
