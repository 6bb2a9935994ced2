import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

import { expect } from 'chai';

import { createPipelinedRequests } from '../../../api/server/pipelining.js';
import { eventually } from '../../support/eventually.js';

const request = (method: string, path: string) =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`;

describe('pipelined requests', () => {
  let server: Server;
  let client: Socket;
  let handled: string[];
  let responses: ServerResponse[];
  let pipelined: ReturnType<typeof createPipelinedRequests>;

  beforeEach(async () => {
    handled = [];
    responses = [];
    pipelined = createPipelinedRequests(
      ({ url = '' }, response) => {
        handled.push(url);
        responses.push(response);
      },
      (socket) => socket.destroy(),
    );
    server = createServer(pipelined.onRequest).listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.resume();
  });

  afterEach(async () => {
    client.destroy();
    server.close();
    await once(server, 'close');
  });

  it('take effect one after the other, in the order in which the client sent them', async () => {
    client.write(request('POST', '/first') + request('POST', '/second') + request('POST', '/third'));
    await eventually('three requests', () => (pipelined.pending.size === 3 ? true : null));
    expect(handled).to.deep.equal(['/first']);
    responses[0]?.end();
    await eventually('the second request', () => (handled.length > 1 ? true : null));
    expect(handled).to.deep.equal(['/first', '/second']);
    responses[1]?.end();
    await eventually('the third request', () => (handled.length > 2 ? true : null));
    expect(handled).to.deep.equal(['/first', '/second', '/third']);
  });

  it('have no effect if their connection ends before their turn', async () => {
    client.write(request('POST', '/first') + request('POST', '/second'));
    await eventually('two requests', () => (pipelined.pending.size === 2 ? true : null));
    client.destroy();
    await eventually('the end of both', () => (pipelined.pending.size === 0 ? true : null));
    expect(handled).to.deep.equal(['/first']);
  });
});
