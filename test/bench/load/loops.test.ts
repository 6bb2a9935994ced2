import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect } from 'chai';

import { runClosedLoop } from '../../../bench/load/closedLoop.js';
import { sequenceIn } from '../../../bench/load/eventBody.js';
import { runOpenLoop } from '../../../bench/load/openLoop.js';
import { runFaultTolerantLoop } from '../../../bench/load/faultTolerantLoop.js';

type Handle = (sequence: number, response: ServerResponse) => void;

const accept: Handle = (_sequence, response) => {
  response.writeHead(201).end('{}');
};

describe('the loops that post events', () => {
  let server: Server;
  let url: string;
  let handle: Handle;
  let received: number[];

  beforeEach(async () => {
    handle = accept;
    received = [];
    server = createServer((request, response) => void take(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/events`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const sequence = sequenceIn(Buffer.concat((await request.toArray()) as Buffer[])) ?? -1;
    received.push(sequence);
    handle(sequence, response);
  };

  const numbers = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => first + index);

  const openLoop = (count: number, perSecond: number) =>
    runOpenLoop({ loop: 'open', url, headers: {}, first: 0, count, perSecond });

  const closedLoop = (count: number, connections: number) =>
    runClosedLoop({ loop: 'closed', url, headers: {}, first: 1000, count, connections });

  const faultTolerantLoop = (accepted: number, count: number) =>
    runFaultTolerantLoop({
      loop: 'faultTolerant',
      url,
      headers: {},
      first: 0,
      count,
      connections: 4,
      accepted,
    });

  it('post each event of a closed loop once', async () => {
    await closedLoop(103, 10);
    expect(received.toSorted((left, right) => left - right)).to.deep.equal(numbers(1000, 103));
  });

  it('measure a request of an open loop from its due time', async () => {
    const { startedAt } = await openLoop(20, 200);
    const steps = [...startedAt.slice(1)].map((at, index) => at - (startedAt[index] ?? 0));
    expect(steps.every((step) => Math.abs(step - 5) < 1e-6)).to.equal(true);
  });

  it('post the next event of an open loop while the first one is unanswered', async () => {
    let held: ServerResponse | null = null;
    handle = (sequence, response) => {
      if (sequence === 0) {
        held = response;
      } else {
        accept(sequence, response);
      }
      if (sequence === 9 && held !== null) {
        accept(0, held);
      }
    };
    const { accepted } = await openLoop(10, 500);
    expect(accepted).to.equal(10);
  });

  it('count the responses other than 201 by status', async () => {
    handle = (sequence, response) => {
      response.writeHead(sequence % 2 === 0 ? 201 : 503).end();
    };
    const { accepted, refused } = await openLoop(10, 1000);
    expect({ accepted, refused }).to.deep.equal({ accepted: 5, refused: { 503: 5 } });
  });

  it('post another event of a fault-tolerant loop for each one without a 201', async () => {
    handle = (sequence, response) => {
      if (sequence % 3 === 0) {
        response.destroy();
      } else {
        accept(sequence, response);
      }
    };
    const { accepted, acceptedAt, refused } = await faultTolerantLoop(10, 100);
    const given = [...acceptedAt].filter((at) => !Number.isNaN(at)).length;
    expect([accepted, given]).to.deep.equal([10, 10]);
    expect(new Set(received).size).to.equal(received.length);
    expect(refused).to.have.property('socket hang up');
  });

  it('count requests without a response by error', async () => {
    handle = (_sequence, response) => response.destroy();
    const { accepted, refused } = await openLoop(2, 1000);
    expect({ accepted, refused }).to.deep.equal({ accepted: 0, refused: { 'socket hang up': 2 } });
  });
});
