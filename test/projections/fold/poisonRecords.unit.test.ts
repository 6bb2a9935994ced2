import { expect } from 'chai';
import fc from 'fast-check';

import {
  createPoisonRecords,
  isolatePoison,
  PoisonRecordsError,
  runFold,
} from '../../../projections/fold/poisonRecords.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { RejectedDocumentsError } from '../../../shared/store/generations/rejectedDocuments.js';

const partition = { topic: 'events', partition: 1 } as const;

/** Folds numbers unless one of them is poison, and records the folded ones. */
function folder(isPoison: (item: number) => boolean) {
  const folded: number[] = [];
  let calls = 0;
  const fold = (items: readonly number[]) => {
    calls += 1;
    const found = items.find(isPoison);
    if (found !== undefined) {
      return Promise.reject(new RejectedDocumentsError(`rejects ${found}`));
    }
    folded.push(...items);
    return Promise.resolve();
  };
  return { fold, folded, calls: () => calls };
}

async function errorOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return null;
}

describe('isolatePoison', () => {
  it('folds all records except the poison records, in their order, and returns those', async () => {
    const batches = fc.array(fc.record({ isPoison: fc.boolean() }), { maxLength: 50, size: 'max' });
    await fc.assert(
      fc.asyncProperty(batches, async (batch) => {
        const numbers = batch.map((_, index) => index);
        const isPoison = (item: number) => batch[item]?.isPoison === true;
        const { fold, folded } = folder(isPoison);
        const failed = await isolatePoison(numbers, fold);

        expect({ folded, failed }).to.deep.equal({
          folded: numbers.filter((item) => !isPoison(item)),
          failed: numbers.filter(isPoison).map((item) => ({ item, reason: `rejects ${item}` })),
        });
      }),
    );
  });

  it('finds one record in a full batch with at most two folds for each bisection', async () => {
    const { fold, calls } = folder((item) => item === 1234);
    await isolatePoison(
      Array.from({ length: 2000 }, (_, index) => index),
      fold,
    );

    expect(calls()).to.be.at.most(1 + 2 * Math.ceil(Math.log2(2000)));
  });

  it('throws at once, without naming a record, if the failure may be an outage', async () => {
    const outage = new UnavailableError('MongoDB does not respond');
    let calls = 0;
    const error = await errorOf(() =>
      isolatePoison([1, 2, 3], () => {
        calls += 1;
        return Promise.reject(outage);
      }),
    );

    expect([error, calls]).to.deep.equal([outage, 1]);
  });

  it('names no record if the server becomes unavailable during the bisection', async () => {
    const outage = new Error('connection closed');
    const failures = [new RejectedDocumentsError('too large'), outage];
    const error = await errorOf(() =>
      isolatePoison([1, 2], () => Promise.reject(failures.shift() ?? outage)),
    );

    expect(error).to.equal(outage);
  });
});

describe('runFold', () => {
  it('attributes an error of a fold to the records', async () => {
    const error = await errorOf(() =>
      runFold(() => {
        throw new TypeError('no such field');
      }),
    );

    expect(String(error)).to.equal('FoldError: no such field');
  });

  it('attributes no record to an unavailable server', async () => {
    const error = await errorOf(() =>
      runFold(() => {
        throw new UnavailableError('away');
      }),
    );

    expect(error).to.be.instanceOf(UnavailableError);
  });
});

describe('PoisonRecordsError', () => {
  it('names the number of poison records, and the first one with its reason', () => {
    const records = [4, 7].map((offset) => ({ ...partition, offset, reason: `too large (${offset} MiB)` }));
    const error = new PoisonRecordsError(records);
    expect(error.message).to.equal('2 cannot be folded, first events/1/4: too large (4 MiB)');
    expect(error.records).to.deep.equal(records);
  });
});

describe('createPoisonRecords', () => {
  it('returns why a record cannot be folded, until the position has passed the record', () => {
    const poison = createPoisonRecords();
    poison.add([
      { ...partition, offset: 4, reason: 'too large' },
      { ...partition, offset: 7, reason: 'too deep' },
    ]);
    poison.dropBelow([{ ...partition, offset: 5 }]);

    expect([4, 7, 8].map((offset) => poison.reasonOf({ ...partition, offset }))).to.deep.equal([
      null,
      'too deep',
      null,
    ]);
  });

  it('knows the record at the position, which is folded next', () => {
    const poison = createPoisonRecords();
    const record = { ...partition, offset: 5 };
    poison.add([{ ...record, reason: 'too large' }]);
    poison.dropBelow([record]);

    expect(poison.reasonOf(record)).to.equal('too large');
  });

  it('drops the records of partitions that another process folds', () => {
    const poison = createPoisonRecords();
    poison.add([{ ...partition, offset: 4, reason: 'too large' }]);
    poison.dropBelow([]);

    expect(poison.reasonOf({ ...partition, offset: 4 })).to.equal(null);
  });

  it('remembers the last thousand records for which dead letters exist', () => {
    const poison = createPoisonRecords();
    for (let offset = 0; offset <= 1000; offset += 1) {
      poison.noteDeadLettered({ ...partition, offset });
    }

    expect([0, 1, 1000, 1001].map((offset) => poison.isDeadLettered({ ...partition, offset }))).to.deep.equal(
      [false, true, true, false],
    );
  });
});
