import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { UnknownOutcomeError } from '../../../../shared/core/errors.js';
import {
  createPartitionBatcher,
  type PartitionBatcherSettings,
} from '../../../../shared/log/producer/partitionBatcher.js';
import { eventually } from '../../../support/eventually.js';

const settings: PartitionBatcherSettings = {
  maximumBatchMessages: 3,
  maximumBatchBytes: 100,
  deliveryTimeoutMs: 5000,
  retryPauseMs: 1,
};

interface Request {
  readonly messages: readonly string[];
  readonly succeed: (baseOffset: number) => void;
  readonly fail: () => void;
}

/** A broker whose answers the test decides. */
function controlledBroker() {
  const requests: Request[] = [];
  const send = ({ messages }: { readonly messages: readonly string[] }) =>
    new Promise<number>((resolve, reject) => {
      requests.push({
        messages,
        succeed: resolve,
        fail: () => {
          reject(new Error('the leader has moved'));
        },
      });
    });
  const request = (index: number) => eventually(`request ${index}`, () => requests[index] ?? null);
  return { send, requests, request };
}

const bundle = (...messages: string[]) => ({ messages, bytes: messages.join('').length });

const outcomeOf = (appended: Promise<number>) =>
  appended.then(
    () => 'written',
    (error: unknown) => (error instanceof UnknownOutcomeError ? 'unknown' : 'not written'),
  );

describe('the partition batcher', () => {
  it('has one request in flight, and collects later bundles for the next one', async () => {
    const broker = controlledBroker();
    const batcher = createPartitionBatcher(broker.send, settings);
    const first = batcher.append(bundle('a'));
    (await broker.request(0)).succeed(10);
    await first;
    const second = batcher.append(bundle('b'));
    const inFlight = await broker.request(1);
    const third = batcher.append(bundle('c'));
    const fourth = batcher.append(bundle('d'));
    // A request starts one turn of the event loop after its bundles.
    await endOfTurn();
    await endOfTurn();
    expect(broker.requests).to.have.length(2);
    inFlight.succeed(11);
    const last = await broker.request(2);
    last.succeed(12);
    expect(last.messages).to.deep.equal(['c', 'd']);
    expect(await Promise.all([second, third, fourth])).to.deep.equal([11, 12, 13]);
  });

  it('resolves each append with the offset of its first message', async () => {
    const broker = controlledBroker();
    const batcher = createPartitionBatcher(broker.send, settings);
    const offsets = [batcher.append(bundle('a', 'b')), batcher.append(bundle('c'))];
    (await broker.request(0)).succeed(40);
    expect(await Promise.all(offsets)).to.deep.equal([40, 42]);
  });

  it('repeats a failed request before it sends later messages', async () => {
    const broker = controlledBroker();
    const batcher = createPartitionBatcher(broker.send, settings);
    const first = batcher.append(bundle('a'));
    (await broker.request(0)).fail();
    const again = await broker.request(1);
    const second = batcher.append(bundle('b'));
    again.succeed(0);
    await first;
    (await broker.request(2)).succeed(1);
    await second;
    expect(broker.requests.map(({ messages }) => messages)).to.deep.equal([['a'], ['a'], ['b']]);
  });

  it('limits the messages of a request', async () => {
    const broker = controlledBroker();
    const batcher = createPartitionBatcher(broker.send, settings);
    const appends = ['a', 'b', 'c', 'd'].map((message) => batcher.append(bundle(message)));
    (await broker.request(0)).succeed(0);
    (await broker.request(1)).succeed(3);
    await Promise.all(appends);
    expect(broker.requests.map(({ messages }) => messages.length)).to.deep.equal([3, 1]);
  });

  it('limits the bytes of a request, and sends a larger bundle alone', async () => {
    const broker = controlledBroker();
    const batcher = createPartitionBatcher(broker.send, settings);
    const appends = ['a'.repeat(60), 'b'.repeat(60), 'c'.repeat(200)].map((text) =>
      batcher.append(bundle(text)),
    );
    for (const index of [0, 1, 2]) {
      (await broker.request(index)).succeed(index);
    }
    await Promise.all(appends);
    expect(broker.requests.map(({ messages }) => messages[0]?.length)).to.deep.equal([60, 60, 200]);
  });

  it('never splits a bundle', async () => {
    const broker = controlledBroker();
    const batcher = createPartitionBatcher(broker.send, settings);
    const appends = [batcher.append(bundle('a', 'b')), batcher.append(bundle('c', 'd'))];
    (await broker.request(0)).succeed(0);
    (await broker.request(1)).succeed(2);
    await Promise.all(appends);
    expect(broker.requests.map(({ messages }) => messages)).to.deep.equal([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('rejects an append that is not acknowledged in time', async () => {
    const broker = controlledBroker();
    const batcher = createPartitionBatcher(broker.send, { ...settings, deliveryTimeoutMs: 20 });
    const outcome = await batcher.append(bundle('a')).then(
      () => 'acknowledged',
      (error: unknown) => (error as Error).name,
    );
    expect(outcome).to.equal('UnavailableError');
  });

  it('rejects an append at its deadline, and never sends its bundle afterwards', async () => {
    const broker = controlledBroker();
    const batcher = createPartitionBatcher(broker.send, settings);
    const first = batcher.append(bundle('a'));
    const inFlight = await broker.request(0);
    const late = batcher.append(bundle('b'), { deadline: performance.now() + 20 });
    const third = batcher.append(bundle('c'));
    const outcome = await outcomeOf(late);
    inFlight.succeed(1);
    (await broker.request(1)).succeed(2);
    await Promise.all([first, third]);
    expect([outcome, broker.requests.map(({ messages }) => messages)]).to.deep.equal([
      'not written',
      [['a'], ['c']],
    ]);
  });

  it('counts the wait for an append from the time since which someone waits', async () => {
    const broker = controlledBroker();
    const batcher = createPartitionBatcher(broker.send, { ...settings, deliveryTimeoutMs: 3_600_000 });
    const since = performance.now() - 3_600_000;
    const outcome = await outcomeOf(batcher.append(bundle('a'), { since }));
    await batcher.idle();
    expect([outcome, broker.requests.length]).to.deep.equal(['not written', 0]);
  });

  it('does not repeat a request whose deadline passed while the process was paused', async () => {
    const broker = controlledBroker();
    const batcher = createPartitionBatcher(broker.send, settings);
    const deadline = performance.now() + 100;
    const outcome = outcomeOf(batcher.append(bundle('a'), { deadline }));
    (await broker.request(0)).fail();
    // The pause before the next request has begun by then. Its timer fires before that of the deadline, which is late too.
    for (const step of [Promise.resolve(), Promise.resolve(), Promise.resolve(), Promise.resolve()]) {
      await step;
    }
    while (performance.now() < deadline + 10) {
      Math.sqrt(deadline);
    }
    await batcher.idle();
    expect([await outcome, broker.requests.length]).to.deep.equal(['unknown', 1]);
  });

  it('reports an unknown outcome if a request with the bundle has started', async () => {
    const broker = controlledBroker();
    const batcher = createPartitionBatcher(broker.send, settings);
    // The request starts before the deadline also on a busy machine.
    const outcome = outcomeOf(batcher.append(bundle('a'), { deadline: performance.now() + 500 }));
    await broker.request(0);
    expect(await outcome).to.equal('unknown');
  });

  it('does not repeat a request whose append was rejected', async () => {
    const broker = controlledBroker();
    const batcher = createPartitionBatcher(broker.send, { ...settings, deliveryTimeoutMs: 500 });
    await batcher.append(bundle('a')).catch(() => null);
    (await broker.request(0)).fail();
    await batcher.idle();
    expect(broker.requests).to.have.length(1);
  });

  it('is idle once no bundle waits', async () => {
    const broker = controlledBroker();
    const batcher = createPartitionBatcher(broker.send, settings);
    const append = batcher.append(bundle('a'));
    const idle = batcher.idle().then(() => 'idle');
    (await broker.request(0)).succeed(0);
    expect(await Promise.all([append, idle])).to.deep.equal([0, 'idle']);
  });
});
