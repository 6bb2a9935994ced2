import { expect } from 'chai';
import fc from 'fast-check';

import {
  createInFlightRegistry,
  type InFlightRegistry,
  type DeliveryEnd,
} from '../../../consumers/engine/inFlightRegistry.js';

interface RetryRecord {
  readonly run: () => Promise<DeliveryEnd>;
  readonly end: (result: DeliveryEnd) => void;
  readonly fail: () => void;
  readonly runs: () => number;
}

/** Work that ends when the test says so. */
function createWork(): RetryRecord {
  let runs = 0;
  let end: (result: DeliveryEnd) => void = () => undefined;
  let fail: () => void = () => undefined;
  const ending = new Promise<DeliveryEnd>((resolve, reject) => {
    end = resolve;
    fail = () => {
      reject(new Error('the database is unavailable'));
    };
  });
  return {
    run: () => {
      runs += 1;
      return ending;
    },
    end,
    fail,
    runs: () => runs,
  };
}

const done = () => Promise.resolve('done' as const);

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('the in-flight registry', () => {
  let registry: InFlightRegistry;

  beforeEach(() => {
    registry = createInFlightRegistry(10);
  });

  it('runs the work of a key once and reports a duplicate as done with it', async () => {
    const work = createWork();
    const first = registry.run('key', work.run);
    const duplicate = registry.run('key', done);
    work.end('done');
    expect([await first, await duplicate, work.runs()]).to.deep.equal(['done', 'done', 1]);
  });

  it('does not report a duplicate as done before the work in flight has ended', async () => {
    const work = createWork();
    void registry.run('key', work.run);
    let isReported = false;
    void registry.run('key', done).then(() => {
      isReported = true;
    });
    await nextTurn();
    expect(isReported).to.equal(false);
  });

  it('does not run work again that was done', async () => {
    const again = createWork();
    await registry.run('key', done);
    expect([await registry.run('key', again.run), again.runs()]).to.deep.equal(['done', 0]);
  });

  it('reports a duplicate as done if the attempt in flight was parked: the log shows that it waits', async () => {
    const work = createWork();
    const duplicate = createWork();
    void registry.run('key', work.run);
    const reported = registry.run('key', duplicate.run);
    work.end('parked');
    expect([await reported, duplicate.runs()]).to.deep.equal(['done', 0]);
  });

  it('runs only the release of an attempt that was parked', async () => {
    const copy = createWork();
    const release = createWork();
    await registry.run('key', () => Promise.resolve('parked'));
    expect([await registry.run('key', copy.run), copy.runs()]).to.deep.equal(['done', 0]);
    void registry.run('key', release.run, undefined, true);
    expect(release.runs()).to.equal(1);
  });

  it('has one of several duplicates do the work if the first copy is abandoned, and the others wait for it', async () => {
    const first = createWork();
    const duplicates = [createWork(), createWork(), createWork()];
    const abandoned = registry.run('key', first.run);
    const reported = duplicates.map(({ run }) => registry.run('key', run));
    first.end('abandoned');
    await nextTurn();
    expect(duplicates.map(({ runs }) => runs())).to.deep.equal([1, 0, 0]);
    duplicates[0]?.end('done');
    expect([await abandoned, ...(await Promise.all(reported))]).to.deep.equal([
      'abandoned',
      'done',
      'done',
      'done',
    ]);
  });

  it('has a duplicate do the work if the first copy fails, and only the first caller sees the failure', async () => {
    const first = createWork();
    const failure = registry.run('key', first.run).catch((error: unknown) => error);
    const duplicate = registry.run('key', done);
    first.fail();
    expect(await failure).to.be.instanceOf(Error);
    expect(await duplicate).to.equal('done');
  });

  it('ends the wait of a duplicate with its own signal, and leaves the work in flight', async () => {
    const lost = new AbortController();
    const work = createWork();
    const first = registry.run('key', work.run);
    const duplicate = registry.run('key', done, lost.signal);
    lost.abort();
    expect(await duplicate).to.equal('abandoned');
    work.end('done');
    expect(await first).to.equal('done');
  });

  it('lets a duplicate wait while its partition is assigned, however long the first work takes', async () => {
    const work = createWork();
    const first = registry.run('key', work.run);
    const duplicate = registry.run('key', done, new AbortController().signal);
    await nextTurn();
    await nextTurn();
    work.end('done');
    expect([await first, await duplicate]).to.deep.equal(['done', 'done']);
  });

  it('abandons a duplicate at once if its partition was lost before', async () => {
    void registry.run('key', createWork().run);
    expect(await registry.run('key', done, AbortSignal.abort())).to.equal('abandoned');
  });

  it('forgets the oldest finished key first', async () => {
    const small = createInFlightRegistry(2);
    for (const key of ['first', 'second', 'third']) {
      await small.run(key, done);
    }
    const again = ['third', 'second', 'first'].map((key) => ({ key, work: createWork() }));
    again.forEach(({ key, work }) => void small.run(key, work.run));
    expect(again.map(({ work }) => work.runs())).to.deep.equal([0, 0, 1]);
  });

  it('reports no caller as done unless some work was done or parked, in any order of ends', async () => {
    const results = fc.constantFrom<DeliveryEnd | 'fails'>('done', 'parked', 'abandoned', 'fails');
    await fc.assert(
      fc.asyncProperty(fc.array(results, { minLength: 1, maxLength: 6 }), async (ends) => {
        const one = createInFlightRegistry(10);
        let running = 0;
        let isLogged = false;
        const callers = ends.map((end) =>
          one.run('key', async () => {
            running += 1;
            expect(running).to.equal(1);
            await nextTurn();
            running -= 1;
            if (end === 'fails') {
              throw new Error('the database is unavailable');
            }
            isLogged ||= end !== 'abandoned';
            return end;
          }),
        );
        const reported = await Promise.all(callers.map((caller) => caller.catch(() => 'failed')));
        const isReportedDone = reported.includes('done');
        expect(isReportedDone).to.equal(isLogged);
        const isNeeded = ends.some((end) => end === 'done' || end === 'parked');
        expect(isLogged).to.equal(isNeeded);
      }),
    );
  });
});
