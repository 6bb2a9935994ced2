import { once } from 'node:events';
import http from 'node:http';

import { expect } from 'chai';

import { createWebhookConnections, type ConnectionBounds } from '../../../consumers/http/connections.js';
import { deliveries, ok, requestHeaders } from './deliveries.js';
import { type Answer, eventually, type Receiver, startReceiver } from './receiver.js';

const use = { protocol: 'http:', fresh: false, identity: null };

describe('connections', () => {
  describe('of attempts', () => {
    const start = deliveries();

    for (const status of ['200 OK', '204 No Content', '302 Found', '410 Gone', '500 Internal Server Error']) {
      it(`are reused after a ${status}`, async () => {
        const body = status.startsWith('204') ? '\r\n' : `content-length: 5000\r\n\r\n${'x'.repeat(5_000)}`;
        const { deliver, receiver } = await start((socket) => socket.write(`HTTP/1.1 ${status}\r\n${body}`));
        await deliver();
        await deliver();
        await deliver();

        expect(receiver.requests).to.have.length(3);
        expect(receiver.accepted()).to.equal(1);
      });
    }

    const closings: Record<string, Answer> = {
      closed: (socket) => socket.end(),
      reset: (socket) => socket.resetAndDestroy(),
    };
    for (const [what, close] of Object.entries(closings)) {
      it(`are replaced by a new one if the receiver has ${what} the idle one, and the request is repeated`, async () => {
        const { deliver, receiver } = await start(firstThen((socket) => socket.write(ok), close));
        expect((await deliver()).requests).to.equal(1);
        const outcome = await deliver();

        expect(outcome).to.include({ outcome: 'succeeded', requests: 2 });
        expect(receiver.accepted()).to.equal(2);
        const ids = receiver.requests.map((request) => requestHeaders(request)['webhook-id']);
        expect(ids).to.deep.equal(['evt_1', 'evt_1', 'evt_1']);
      });
    }

    const begun: Record<string, readonly [code: string, answer: Answer]> = {
      'one byte': ['connection_reset', (socket) => socket.end('H')],
      'half a head': ['connection_reset', (socket) => socket.end('HTTP/1.1 200 OK\r\na: b')],
      'a 100': ['connection_reset', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n')],
      'bytes that are not HTTP': [
        'response_invalid',
        (socket) => socket.end('220 mail.example.com ESMTP\r\n'),
      ],
      'a 101': [
        'response_invalid',
        (socket) =>
          socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      ],
      'a 200 with more than 16 KiB of headers': [
        'response_too_large',
        (socket) => socket.write(`HTTP/1.1 200 OK\r\na: ${'b'.repeat(17_000)}\r\ncontent-length: 0\r\n\r\n`),
      ],
    };
    for (const [what, [code, answer]] of Object.entries(begun)) {
      it(`are not replaced, and no request is repeated, if ${what} has arrived on the reused one`, async () => {
        const { deliver, receiver } = await start(firstThen((socket) => socket.write(ok), answer));
        await deliver();
        const outcome = await deliver();

        expect({ code: outcome.error?.code, requests: outcome.requests }).to.deep.equal({
          code,
          requests: 1,
        });
        expect(receiver.requests).to.have.length(2);
        expect(receiver.accepted()).to.equal(1);
      });
    }

    it('are replaced by a new one even if more idle ones exist', async () => {
      const answer = firstThen(
        (socket) => setTimeout(() => socket.write(ok), 50),
        (socket) => socket.resetAndDestroy(),
      );
      const { deliver, receiver } = await start(answer);
      await Promise.all(Array.from({ length: 5 }, () => deliver()));
      const outcome = await deliver();

      expect(outcome.outcome).to.equal('succeeded');
      expect(receiver.requests).to.have.length(7);
    });

    it('are not replaced a second time if the new one is lost too', async () => {
      let requests = 0;
      const { deliver, receiver } = await start((socket) => {
        requests += 1;
        if (requests === 1) {
          socket.write(ok);
        } else {
          socket.resetAndDestroy();
        }
      });
      await deliver();
      const outcome = await deliver();

      expect(outcome.error?.code).to.equal('connection_reset');
      expect(outcome.requests).to.equal(2);
      expect(receiver.requests).to.have.length(3);
    });

    it('are not replaced after the deadline', async () => {
      const answer = firstThen(
        (socket) => socket.write(ok),
        () => undefined,
      );
      const { deliver, receiver } = await start(answer, { timeoutMs: 200 });
      await deliver();
      const outcome = await deliver();

      expect(outcome.error?.code).to.equal('timeout');
      expect(receiver.requests).to.have.length(2);
    });

    it('are closed if bytes follow the response, which are not the response to the next request', async () => {
      const { deliver, receiver } = await start((socket) => {
        socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        setTimeout(() => socket.write('HTTP/1.1 500 Late\r\ncontent-length: 0\r\n\r\n'), 20);
      });
      await deliver();
      await eventually(() => receiver.open() === 0, 'the connection is closed, before its idle time ends', 2);
      const outcome = await deliver();

      expect(outcome.statusCode).to.equal(204);
      expect(receiver.accepted()).to.equal(2);
    });

    it('to a receiver that hangs do not affect other receivers', async () => {
      const { deliver, receiver } = await start(() => undefined, { timeoutMs: 1_000 });
      const quick = await startReceiver((socket) => socket.write(ok));
      const hanging = Array.from({ length: 20 }, () => deliver());
      await eventually(() => receiver.requests.length === 20, 'all requests hang');

      const outcomes = await Promise.all(Array.from({ length: 20 }, () => deliver(quick.url)));
      await quick.close();
      await Promise.all(hanging);

      expect(outcomes.every(({ outcome }) => outcome === 'succeeded')).to.equal(true);
    });

    it('to one host are limited', async () => {
      const { deliver, receiver } = await start((socket) => setTimeout(() => socket.write(ok), 5), {
        maxConnectionsPerHost: 3,
      });

      const outcomes = await Promise.all(Array.from({ length: 30 }, () => deliver()));

      expect(outcomes.every(({ outcome }) => outcome === 'succeeded')).to.equal(true);
      expect(receiver.accepted()).to.equal(3);
    });

    it('end their attempts when they are closed, and repeat no request', async () => {
      const answer = firstThen(
        (socket) => socket.write(ok),
        () => undefined,
      );
      const { deliver, http: attempts, receiver } = await start(answer);
      await deliver();
      const outcome = deliver();
      await eventually(() => receiver.requests.length === 2, 'the request has arrived');
      attempts.close();

      const { error, requests } = await outcome;
      expect({ code: error?.code, requests }).to.deep.equal({ code: 'connection_reset', requests: 1 });
      expect(receiver.accepted()).to.equal(1);
    });
  });

  describe('that are idle', () => {
    const bounds: ConnectionBounds = {
      maxInUse: 2,
      maxInUsePerHost: 2,
      maxIdle: 2,
      maxIdlePerHost: 2,
      maxIdleMs: 10_000,
      maxResponseBytes: 1_000,
      maxIdentities: 2,
    };
    const receivers: Receiver[] = [];

    before(async () => {
      for (let index = 0; index < 4; index += 1) {
        receivers.push(await startReceiver((socket) => socket.write(ok)));
      }
    });
    after(() => Promise.all(receivers.map((receiver) => receiver.close())));

    const connectionsWithin = (changed: Partial<ConnectionBounds>) => {
      const connections = createWebhookConnections(
        (_name, _options, callback) => {
          callback(null, []);
        },
        { ...bounds, ...changed },
      );
      const call = ({ url }: Receiver): Promise<void> =>
        new Promise((resolve, reject) => {
          connections.start(use, (agent) => {
            const request = http.get(url, { agent }, (response) => response.resume().once('end', resolve));
            return request.once('error', reject);
          });
        });
      return { connections, call };
    };

    it('are closed after the idle time', async () => {
      const { connections, call } = connectionsWithin({ maxIdleMs: 50 });
      await Promise.all(receivers.slice(0, 2).map(call));

      await eventually(() => connections.count() === 0, 'the idle connections are closed');
    });

    it('are limited in total, and the one that has been idle longest is closed', async () => {
      const { connections, call } = connectionsWithin({ maxIdle: 2 });
      for (const receiver of receivers.slice(0, 3)) {
        await call(receiver);
      }

      await eventually(() => connections.count() === 2, 'one of three is closed');
      await eventually(
        () => receivers.map((receiver) => receiver.open()).join() === '0,1,1,0',
        'it is the first',
      );
      connections.close();
    });

    it('are limited for each host', async () => {
      const { connections, call } = connectionsWithin({ maxIdlePerHost: 1 });
      await Promise.all(receivers.slice(0, 1).flatMap((receiver) => [call(receiver), call(receiver)]));

      await eventually(() => connections.count() === 1, 'one of two is closed');
      connections.close();
    });

    it('are watched for the current exchange, even if the previous one ends later', async () => {
      const { connections } = connectionsWithin({});
      const closed: string[] = [];
      const { connection, exchange: request } = connections.start(use, (agent) =>
        http.get(receivers[0]?.url ?? '', { agent }, (response) => response.resume()),
      );
      const endFirst = connection?.begin(() => closed.push('first'));
      connection?.begin(() => closed.push('second'));
      endFirst?.();
      await once(request, 'close');
      connections.close();

      await eventually(() => closed.length > 0, 'the connection is closed');
      expect(closed).to.deep.equal(['second']);
    });

    it('of webhooks with certificates are kept for those that were used last', () => {
      const { connections } = connectionsWithin({});
      const agentOf = (owner: string) => {
        const identity = { owner, certificate: '', privateKey: '' };
        return connections.start({ ...use, protocol: 'https:', identity }, (agent) => agent).exchange;
      };
      const [first, second] = [agentOf('wh_1/0'), agentOf('wh_2/0')];
      agentOf('wh_1/0');
      agentOf('wh_3/0');

      expect(agentOf('wh_1/0')).to.equal(first);
      expect(agentOf('wh_2/0')).not.to.equal(second);
    });

    it('never delay a connection to a new host', async () => {
      const { connections, call } = connectionsWithin({ maxInUse: 1, maxIdle: 1 });
      for (const receiver of receivers) {
        await call(receiver);
      }

      expect(receivers.every(({ accepted }) => accepted() > 0)).to.equal(true);
      connections.close();
    });
  });
});

/** Answers the first request of a connection, and does something else with the next. */
function firstThen(first: Answer, next: Answer): Answer {
  return (socket, numberOnConnection) => {
    (numberOnConnection === 1 ? first : next)(socket, numberOnConnection);
  };
}
