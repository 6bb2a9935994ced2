import { expect } from 'chai';
import fc from 'fast-check';

import { foldDocuments } from '../../../projections/fold/foldDocuments.js';
import { fenceIdsOf, foldFences } from '../../../projections/fold/foldFences.js';
import { accountsProjection } from '../../../projections/models/accounts.js';
import { auditProjection } from '../../../projections/models/audit.js';
import type { Projection } from '../../../projections/models/projection.js';
import { webhooksProjection } from '../../../projections/models/webhooks.js';
import { decodeRecord } from '../../../projections/runtime/readRecords.js';
import { recordIdOf } from '../../../shared/log/encoding/cloudEvent.js';
import type { OutgoingRecord, RawRecord } from '../../../shared/log/encoding/record.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import { encodeFence, withFence } from '../../../shared/log/records/fence.js';
import { webhookRecords } from '../../../shared/log/records/webhooks.js';
import { partitionOf } from '../../../shared/log/topics/partition.js';
import type { ModelDocument } from '../../../shared/store/models/documents.js';
import type { FenceDocument } from '../../../shared/store/models/fences.js';
import { accountCreated } from '../../support/accountFacts.js';
import { anyAccountFact, anyWebhookFact } from '../../support/arbitraries.js';
import { contextOf, start, testIdentifier, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { webhookCreated } from '../../support/webhookFacts.js';
import { batchesOf, batchedFetches, interleavedFetches, rewoundFetches } from '../foldedLog.js';

const partitionCount = 3;
const numbers = [1, 2, 3];
const anyNumber = fc.constantFrom(...numbers);
/** Null for a record that was not decided under a lease. */
const anyLease = fc.option(fc.integer({ min: 1, max: 6 }), { nil: null });
const anyPartition = fc.nat(partitionCount - 1);

/** A record in the partition to which it is appended. */
interface JobOrigin {
  readonly partition: number;
  readonly lease: number | null;
  readonly record: OutgoingRecord;
  readonly isFence: boolean;
}

/** The records of a topic in the order of their appends, late or not: any facts under any lease, and fences. */
function arrivals(
  topic: 'webhooks' | 'accounts',
  anyRecord: fc.Arbitrary<(id: string) => OutgoingRecord>,
): fc.Arbitrary<readonly JobOrigin[]> {
  const commands = fc.record({ lease: anyLease, record: anyRecord });
  const fences = fc.record({
    partition: anyPartition,
    number: fc.integer({ min: 1, max: 6 }),
    account: anyNumber,
  });
  return fc
    .array(fc.oneof({ weight: 4, arbitrary: commands }, { weight: 1, arbitrary: fences }), { maxLength: 40 })
    .map((all) =>
      all.map((arrival, index) => {
        const id = testRecordId(index);
        if ('number' in arrival) {
          const { partition, number, account } = arrival;
          const accountId = testIdentifier('acct', account);
          const record = encodeFence({ topic, partition, accountId, number, id, at: start });
          return { partition, lease: number, record, isFence: true };
        }
        const { lease, record } = arrival;
        const plain = record(id);
        const partition = partitionOf(plain.key, partitionCount);
        return { partition, lease, record: lease === null ? plain : withFence(plain, lease), isFence: false };
      }),
    );
}

const webhookArrivals = arrivals(
  'webhooks',
  fc
    .tuple(anyNumber, fc.oneof(fc.constant(webhookCreated()), anyWebhookFact))
    .map(([number, fact]) => (id: string) => {
      // Two webhooks of one account, and one of another.
      const accountId = testIdentifier('acct', Math.ceil(number / 2));
      return webhookRecords.encode(fact, contextOf(testIdentifier('wh', number), { id, accountId }));
    }),
);

const accountArrivals = arrivals(
  'accounts',
  fc
    .tuple(anyNumber, fc.oneof(fc.constant(accountCreated()), anyAccountFact))
    .map(([number, fact]) => (id: string) => {
      const key = testIdentifier('acct', number);
      return accountRecords.encode(fact, contextOf(key, { id, accountId: key, mode: null }));
    }),
);

function logOf(all: readonly JobOrigin[]): readonly (readonly RawRecord[])[] {
  return Array.from({ length: partitionCount }, (_, partition) =>
    all
      .filter((arrival) => arrival.partition === partition)
      .map(({ record }, offset) => rawRecord(record, { partition, offset })),
  );
}

/**
 * The log without fences, and without the commands that follow a fence of their account with a higher number in their
 * partition.
 */
function effectiveLog(all: readonly JobOrigin[]): readonly (readonly RawRecord[])[] {
  const source = ({ record }: JobOrigin) => record.headers['ce_source'];
  const isStale = (arrival: JobOrigin, index: number) =>
    all
      .slice(0, index)
      .some(
        (fence) =>
          fence.isFence &&
          fence.partition === arrival.partition &&
          source(fence) === source(arrival) &&
          (fence.lease ?? 0) > (arrival.lease ?? Number.POSITIVE_INFINITY),
      );
  const dropped = new Set(
    all
      .filter((arrival, index) => arrival.isFence || isStale(arrival, index))
      .map(({ record }) => record.headers['ce_id']),
  );
  return logOf(all).map((records) => records.filter((record) => !dropped.has(recordIdOf(record))));
}

interface Stored<Model extends ModelDocument> {
  readonly documents: Map<string, Model>;
  readonly fences: Map<string, FenceDocument>;
}

/**
 * Folds these batches, as the projections do.
 * @param deaths the batches of which only the fences are written at first, as if the process had crashed
 */
function foldAll<Model extends ModelDocument>(
  projection: Projection<Model>,
  batches: readonly (readonly RawRecord[])[],
  deaths: readonly boolean[] = [],
): Stored<Model> {
  const documents = new Map<string, Model>();
  const fences = new Map<string, FenceDocument>();
  const foldOne = (batch: readonly RawRecord[], dies: boolean) => {
    const records = batch.map((record) => {
      const decoded = decodeRecord(projection, record);
      if (!decoded.readable) {
        throw new Error(decoded.reason);
      }
      return decoded.content;
    });
    const loaded = new Map([...fences].filter(([id]) => fenceIdsOf(records).includes(id)));
    const { changes, effective } = foldFences(loaded, records);
    changes.forEach(({ after }) => fences.set(after._id, after));
    const written = dies ? [] : foldDocuments(documents, effective);
    written.forEach(({ after }) => documents.set(after._id, after));
  };
  for (const [index, batch] of batches.entries()) {
    if (deaths[index] === true) {
      foldOne(batch, true);
    }
    foldOne(batch, false);
  }
  return { documents, fences };
}

interface Tested {
  readonly arrivals: fc.Arbitrary<readonly JobOrigin[]>;
  readonly fold: (
    batches: readonly (readonly RawRecord[])[],
    deaths?: readonly boolean[],
  ) => Stored<ModelDocument>;
}

const models: Record<string, Tested> = {
  webhooks: { arrivals: webhookArrivals, fold: (...batches) => foldAll(webhooksProjection, ...batches) },
  accounts: { arrivals: accountArrivals, fold: (...batches) => foldAll(accountsProjection, ...batches) },
  'audit of webhooks': {
    arrivals: webhookArrivals,
    fold: (...batches) => foldAll(auditProjection, ...batches),
  },
  'audit of accounts': {
    arrivals: accountArrivals,
    fold: (...batches) => foldAll(auditProjection, ...batches),
  },
};

for (const [name, { arrivals: anyArrivals, fold }] of Object.entries(models)) {
  describe(`Fences in the model ${name}`, () => {
    it('result in the documents of a log without the late records', () => {
      fc.assert(
        fc.property(anyArrivals, batchedFetches, (all, plan) => {
          expect(fold(batchesOf(logOf(all), plan)).documents).to.deep.equal(
            fold(batchesOf(effectiveLog(all), [])).documents,
          );
        }),
      );
    });

    for (const [order, plans] of Object.entries({
      'in whatever order the partitions are read': interleavedFetches,
      'wherever batches end': batchedFetches,
    })) {
      it(`result in the same documents and fences ${order}`, () => {
        fc.assert(
          fc.property(anyArrivals, plans, (all, plan) => {
            expect(fold(batchesOf(logOf(all), plan))).to.deep.equal(fold(batchesOf(logOf(all), [])));
          }),
        );
      });
    }

    it('result in the same documents if earlier records are folded again, also after a crash between two writes', () => {
      fc.assert(
        fc.property(anyArrivals, rewoundFetches, fc.array(fc.boolean()), (all, plan, deaths) => {
          const again = fold(batchesOf(logOf(all), plan), deaths);
          expect(again).to.deep.equal(fold(batchesOf(logOf(all), [])));
        }),
      );
    });
  });
}

describe('the fences of an account in a partition', () => {
  /** The fences that are stored after fences with these numbers, in the order of their offsets. */
  const storedAfter = (...fenceNumbers: readonly number[]) => {
    const records = fenceNumbers.map((number, offset) => ({
      record: { topic: 'webhooks', partition: 0, offset, timestamp: 0, id: testRecordId(offset) } as const,
      folds: [],
      fencing: { kind: 'fence', accountId: testIdentifier('acct'), number } as const,
    }));
    return foldFences(new Map(), records).changes.flatMap(({ after }) => after.fences);
  };

  it('are stored with their offsets, without those of a lower or the same number', () => {
    expect(storedAfter(2, 1, 2, 5)).to.deep.equal([
      { offset: 0, number: 2 },
      { offset: 3, number: 5 },
    ]);
  });

  it('are the last hundred', () => {
    const stored = storedAfter(...Array.from({ length: 130 }, (_, index) => index + 1));
    expect([stored.length, stored[0]]).to.deep.equal([100, { offset: 30, number: 31 }]);
  });
});
