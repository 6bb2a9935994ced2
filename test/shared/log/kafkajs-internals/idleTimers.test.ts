import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

import { expect } from 'chai';
import { Kafka, logLevel } from 'kafkajs';

import { stopIdleTimers } from '../../../../shared/log/kafkajs-internals/idleTimers.js';
import { createOpened } from '../../../support/opened.js';
import { testStack } from '../../../support/stack.js';

/** What Node keeps of a timer. */
interface Timer {
  /** After how many milliseconds it comes. */
  readonly _idleTimeout: number;
}

/** The timers that kafkajs's request queues begin from now on: after how many milliseconds each comes. */
function watchQueueTimers() {
  const begun: number[] = [];
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'Timeout' && /\.schedule[A-Z]\w+ /.test(new Error().stack ?? '')) {
        begun.push((resource as Timer)._idleTimeout);
      }
    },
  }).enable();
  return {
    begun,
    end: () => {
      hook.disable();
    },
  };
}

describe('shared/kafka/idleTimers', () => {
  const opened = createOpened();
  before(stopIdleTimers);
  afterEach(opened.releaseAll);

  function clientOf(brokers: readonly string[]) {
    const retry = { retries: 0 };
    return new Kafka({ brokers: [...brokers], requestTimeout: 200, retry, logLevel: logLevel.NOTHING });
  }

  it('leaves a connection that has had its answers one timer, and that a slow one', async () => {
    const { kafka } = await testStack();
    const timers = watchQueueTimers();
    opened.add('watch', timers.end);
    const admin = clientOf(kafka.brokers).admin();
    opened.add('admin', () => admin.disconnect());
    await admin.connect();
    await admin.listTopics();

    // Of a second each, and by up to half of one more or less, as the others come at the same moments.
    const isSlow = (afterMs: number) => afterMs >= 500 && afterMs <= 1500;
    expect([...new Set(timers.begun.map(isSlow))]).to.deep.equal([true]);
  });

  it('ends a request all the same that gets no answer', async () => {
    const server = createServer((socket) => {
      opened.add('connection', () => {
        socket.destroy();
      });
    }).listen(0, '127.0.0.1');
    opened.add('server', () => {
      server.close();
    });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    const failure = await clientOf([`127.0.0.1:${port}`])
      .admin()
      .connect()
      .catch((error: unknown) => error);

    expect(failure).to.be.an('error').with.property('message').that.includes('timed out');
  });
});
