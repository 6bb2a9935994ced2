import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

import { expect } from 'chai';
import { Kafka, logLevel } from 'kafkajs';

import { stopIdleTimers } from '../../../../shared/log/kafkajs-internals/idleTimers.js';
import { createOpened } from '../../../support/opened.js';
import { testStack } from '../../../support/stack.js';

/** A timer of Node. */
interface Timer {
  /** The delay, in milliseconds. */
  readonly _idleTimeout: number;
}

/** The delays of the timers that the request queues of kafkajs start from now on, in milliseconds. */
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

describe('the timers of an idle connection to Kafka', () => {
  const opened = createOpened();
  before(stopIdleTimers);
  afterEach(opened.releaseAll);

  function clientOf(brokers: readonly string[]) {
    const retry = { retries: 0 };
    return new Kafka({ brokers: [...brokers], requestTimeout: 200, retry, logLevel: logLevel.NOTHING });
  }

  it('are one slow timer if no request waits for an answer', async () => {
    const { kafka } = await testStack();
    const timers = watchQueueTimers();
    opened.add('watch', timers.end);
    const admin = clientOf(kafka.brokers).admin();
    opened.add('admin', () => admin.disconnect());
    await admin.connect();
    await admin.listTopics();

    // The interval is a second. Because timers are aligned, a delay may be up to half a second shorter or longer.
    const isSlow = (afterMs: number) => afterMs >= 500 && afterMs <= 1500;
    expect([...new Set(timers.begun.map(isSlow))]).to.deep.equal([true]);
  });

  it('end a request that gets no answer', async () => {
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
