import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

import { expect } from 'chai';

import { PortTakenError } from '../../../stack/system/errors.js';
import { isListening, withFreePorts } from '../../../stack/system/ports.js';
import { failureOf } from '../failures.js';

describe('withFreePorts', () => {
  it('provides different free ports, below those of outgoing connections', async () => {
    const ports = await withFreePorts(3, (free) => Promise.resolve(free));

    expect(new Set(ports).size).to.equal(3);
    expect(await Promise.all(ports.map(isListening))).to.deep.equal([false, false, false]);
    expect(Math.max(...ports)).to.be.below(32_768);
  });

  it('provides other ports if another process has taken one', async () => {
    const tried: number[] = [];

    const started = await withFreePorts(1, ([port = 0]) => {
      tried.push(port);
      return tried.length < 3 ? Promise.reject(new PortTakenError('taken')) : Promise.resolve('started');
    });

    expect([started, new Set(tried).size]).to.deep.equal(['started', 3]);
  });

  it('fails after several tries', async () => {
    const failure = await failureOf(withFreePorts(1, () => Promise.reject(new PortTakenError('taken'))));

    expect(failure).to.equal('taken');
  });

  it('does not repeat a start that failed for another reason', async () => {
    let starts = 0;

    await failureOf(
      withFreePorts(1, () => {
        starts += 1;
        return Promise.reject(new Error('broken'));
      }),
    );

    expect(starts).to.equal(1);
  });
});

describe('isListening', () => {
  let server: Server;
  let port: number;

  before(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });

  it('returns whether a port accepts connections', async () => {
    const whileOpen = await isListening(port);
    server.close();
    await once(server, 'close');

    expect([whileOpen, await isListening(port)]).to.deep.equal([true, false]);
  });
});
