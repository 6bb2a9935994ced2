import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import {
  createSharedRequests,
  type PartitionBundle,
} from '../../../../shared/log/producer/sharedRequests.js';
import { eventually } from '../../../support/eventually.js';

interface Request {
  readonly partitions: readonly number[];
  readonly answer: (offsets: readonly (number | null)[]) => void;
  readonly fail: () => void;
}

/** Brokers whose answers the test decides. Even partitions are led by broker 1, odd ones by broker 2. */
function controlledBrokers(leaderOf = (partition: number): number | null => 1 + (partition % 2)) {
  const requests: Request[] = [];
  const send = (bundles: readonly PartitionBundle[]) =>
    new Promise<readonly (number | null)[]>((resolve, reject) => {
      requests.push({
        partitions: bundles.map(({ partition }) => partition),
        answer: resolve,
        fail: () => {
          reject(new Error('the connection is lost'));
        },
      });
    });
  const forgotten: string[] = [];
  const leaders = {
    of: (_: string, partition: number) => leaderOf(partition),
    forget: (topic: string) => forgotten.push(topic),
  };
  return {
    append: createSharedRequests(send, leaders),
    request: (index: number) => eventually(`request ${index}`, () => requests[index] ?? null),
    requests,
    forgotten,
  };
}

const bundle = (partition: number, bytes = 1, isAwaited = () => true) => ({
  topic: 'events',
  partition,
  messages: [{ value: 'x' }],
  bytes,
  isAwaited,
});

const outcomeOf = (appended: Promise<number>) =>
  appended.then(
    (offset) => offset,
    () => 'failed',
  );

/** A request starts one turn of the event loop after its bundles. */
async function turns(): Promise<void> {
  await endOfTurn();
  await endOfTurn();
}

describe('the requests that partitions share', () => {
  it('contain the bundles that are appended in one turn for partitions of one broker', async () => {
    const { append, request } = controlledBrokers();
    void append(bundle(0));
    void append(bundle(2));
    expect((await request(0)).partitions).to.deep.equal([0, 2]);
  });

  it('are separate for each broker', async () => {
    const { append, request } = controlledBrokers();
    void append(bundle(0));
    void append(bundle(1));
    const both = [await request(0), await request(1)];
    expect(both.map(({ partitions }) => partitions)).to.deep.equal([[0], [1]]);
  });

  it('return to each partition its own offset', async () => {
    const { append, request } = controlledBrokers();
    const offsets = [append(bundle(0)), append(bundle(2))];
    (await request(0)).answer([70, 80]);
    expect(await Promise.all(offsets)).to.deep.equal([70, 80]);
  });

  it('contain the bundles that have arrived during the previous request', async () => {
    const { append, request, requests } = controlledBrokers();
    void append(bundle(0));
    const first = await request(0);
    void append(bundle(2));
    void append(bundle(4));
    await turns();
    expect(requests).to.have.length(1);
    first.answer([1]);
    expect((await request(1)).partitions).to.deep.equal([2, 4]);
  });

  it('do not contain a bundle that is no longer awaited', async () => {
    const { append, request, requests } = controlledBrokers();
    const first = append(bundle(0));
    const inFlight = await request(0);
    let isAwaited = true;
    const unawaited = outcomeOf(append(bundle(2, 1, () => isAwaited)));
    isAwaited = false;
    inFlight.answer([1]);
    await first;
    expect([await unawaited, requests.length]).to.deep.equal(['failed', 1]);
  });

  it('do not delay the requests of another broker', async () => {
    const { append, request } = controlledBrokers();
    void append(bundle(0));
    await request(0);
    void append(bundle(1));
    expect((await request(1)).partitions).to.deep.equal([1]);
  });

  it('acknowledge no partition that the answer omits', async () => {
    const { append, request } = controlledBrokers();
    const outcomes = [outcomeOf(append(bundle(0))), outcomeOf(append(bundle(2)))];
    (await request(0)).answer([7, null]);
    expect(await Promise.all(outcomes)).to.deep.equal([7, 'failed']);
  });

  it('acknowledge no partition if there is no answer', async () => {
    const { append, request } = controlledBrokers();
    const outcomes = [outcomeOf(append(bundle(0))), outcomeOf(append(bundle(2)))];
    (await request(0)).fail();
    expect(await Promise.all(outcomes)).to.deep.equal(['failed', 'failed']);
  });

  it('are separate for each partition after a failed request', async () => {
    const { append, request } = controlledBrokers();
    const outcomes = [outcomeOf(append(bundle(0))), outcomeOf(append(bundle(2)))];
    (await request(0)).fail();
    await Promise.all(outcomes);
    void append(bundle(0));
    void append(bundle(2));
    const both = [await request(1), await request(2)];
    expect(both.map(({ partitions }) => partitions)).to.deep.equal([[0], [2]]);
  });

  it('include a partition again after its separate request has succeeded', async () => {
    const { append, request } = controlledBrokers();
    const failed = outcomeOf(append(bundle(0)));
    (await request(0)).fail();
    await failed;
    const repeated = append(bundle(0));
    (await request(1)).answer([5]);
    await repeated;
    void append(bundle(0));
    void append(bundle(2));
    expect((await request(2)).partitions).to.deep.equal([0, 2]);
  });

  it('make the leaders unknown after a failure, so that they are requested again', async () => {
    const { append, request, forgotten } = controlledBrokers();
    const failed = outcomeOf(append(bundle(0)));
    (await request(0)).fail();
    await failed;
    expect(forgotten).to.deep.equal(['events']);
  });

  it('are separate for each partition while the leaders are unknown', async () => {
    const { append, request } = controlledBrokers(() => null);
    void append(bundle(0));
    void append(bundle(2));
    const both = [await request(0), await request(1)];
    expect(both.map(({ partitions }) => partitions)).to.deep.equal([[0], [2]]);
  });

  it('contain a limited number of bytes', async () => {
    const { append, request } = controlledBrokers();
    const mebibyte = 1024 * 1024;
    const appended = [0, 2, 4].map((partition) => append(bundle(partition, 3 * mebibyte)));
    (await request(0)).answer([1, 1]);
    (await request(1)).answer([1]);
    await Promise.all(appended);
    expect((await request(1)).partitions).to.deep.equal([4]);
  });
});
