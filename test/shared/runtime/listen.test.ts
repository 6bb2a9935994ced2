import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect } from 'chai';

import { listen } from '../../../shared/runtime/listen.js';
import { closeAtEndOfFile } from '../../support/fileResources.js';

const host = '127.0.0.1';

describe('listen', () => {
  async function listening(port: number) {
    const server = createServer();
    await listen(server, { host, port });
    closeAtEndOfFile(async () => {
      server.close();
      await once(server, 'close');
    });
    return (server.address() as AddressInfo).port;
  }

  it('listens on a free port', async () => {
    expect(await listening(0)).to.be.greaterThan(0);
  });

  it('fails with a message that says what to do if the port is in use', async () => {
    const port = await listening(0);
    const failure = await listening(port).catch((error: unknown) => error);

    expect(failure)
      .to.be.an('error')
      .with.property('message')
      .that.equals(
        `the port ${port} of 127.0.0.1 is in use: stop the program that uses this port, or set PORT to another port`,
      );
  });
});
