import { expect } from 'chai';
import fc from 'fast-check';

import { foldFences } from '../../../projections/fold/foldFences.js';
import { accountsProjection } from '../../../projections/models/accounts.js';
import { auditProjection } from '../../../projections/models/audit.js';
import { webhooksProjection } from '../../../projections/models/webhooks.js';
import { decodeRecord } from '../../../projections/runtime/readRecords.js';
import type { OutgoingRecord, RawRecord } from '../../../shared/log/encoding/record.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import { encodeFence, withFence, type Fence } from '../../../shared/log/records/fence.js';
import { webhookRecords } from '../../../shared/log/records/webhooks.js';
import { partitionOf } from '../../../shared/log/topics/partition.js';
import type { ModelDocument } from '../../../shared/store/models/documents.js';
import { accountCreated } from '../../support/accountFacts.js';
import { anyAccountFact, anyWebhookFact } from '../../support/arbitraries.js';
import { contextOf, start, testIdentifier, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { webhookCreated } from '../../support/webhookFacts.js';
import { effectiveLog, foldFenced, logOf, type Appended, type Stored } from '../fencedLog.js';
import { batchesOf, batchedFetches, partitionCount, rewoundFetches } from '../foldedLog.js';

const numbers = [1, 2, 3];
const anyNumber = fc.constantFrom(...numbers);
/** Null for a record that was not decided under a lease. */
const anyLease = fc.option(fc.integer({ min: 1, max: 6 }), { nil: null });
const anyPartition = fc.nat(partitionCount - 1);

/** The records of a topic in the order of their appends, late or not: any facts under any lease, and fences. */
function arrivals(
  topic: 'webhooks' | 'accounts',
  anyRecord: fc.Arbitrary<(id: string) => OutgoingRecord>,
): fc.Arbitrary<readonly Appended[]> {
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

const source = ({ record }: Appended) => record.headers['ce_source'];
const ofSameAccount = (fence: Appended, command: Appended) => source(fence) === source(command);

interface Tested {
  readonly arrivals: fc.Arbitrary<readonly Appended[]>;
  readonly fold: (
    batches: readonly (readonly RawRecord[])[],
    deaths?: readonly boolean[],
  ) => Stored<ModelDocument>;
}

const models: Record<string, Tested> = {
  webhooks: { arrivals: webhookArrivals, fold: (...batches) => foldFenced(webhooksProjection, ...batches) },
  accounts: { arrivals: accountArrivals, fold: (...batches) => foldFenced(accountsProjection, ...batches) },
  'audit of webhooks': {
    arrivals: webhookArrivals,
    fold: (...batches) => foldFenced(auditProjection, ...batches),
  },
  'audit of accounts': {
    arrivals: accountArrivals,
    fold: (...batches) => foldFenced(auditProjection, ...batches),
  },
};

for (const [name, { arrivals: anyArrivals, fold }] of Object.entries(models)) {
  describe(`Fences in the model ${name}`, () => {
    it('result in the documents of a log without the late records', () => {
      fc.assert(
        fc.property(anyArrivals, batchedFetches, (all, plan) => {
          expect(fold(batchesOf(logOf(all), plan)).documents).to.deep.equal(
            fold(batchesOf(effectiveLog(all, ofSameAccount), [])).documents,
          );
        }),
      );
    });

    it('result in the same documents and fences in any order of reads, also if records are folded again after a crash between two writes', () => {
      fc.assert(
        fc.property(anyArrivals, rewoundFetches, fc.array(fc.boolean()), (all, plan, deaths) => {
          const again = fold(batchesOf(logOf(all), plan), deaths);
          expect(again).to.deep.equal(fold(batchesOf(logOf(all), [])));
        }),
      );
    });
  });
}

describe('the fences of a tenant', () => {
  const tenantOf = (tenantId: string) => ({ mode: 'live', tenantId }) as const;
  const accountId = testIdentifier('acct');

  const commandOf = (tenantId: string, number: number, id: number) => {
    const created = webhookCreated();
    const context = { ...created.context, id: testRecordId(id), tenantId, tenancy: 'life' };
    return withFence(webhookRecords.encode(created, context), number, tenantOf(tenantId));
  };

  /** Whether a command of the tenant `a` with the number 5 has an effect after a fence. */
  const isEffective = (fence: Pick<Fence, 'number' | 'tenant'>) => {
    const place = { topic: 'webhooks', partition: 0, accountId, id: testRecordId(1), at: start } as const;
    const outgoing = [encodeFence({ ...place, ...fence }), commandOf('a', 5, 2)];
    const records = outgoing.map((record, offset) => {
      const decoded = decodeRecord(webhooksProjection, rawRecord(record, { partition: 0, offset }));
      if (!decoded.readable) {
        throw new Error(decoded.reason);
      }
      return decoded.content;
    });
    return foldFences(new Map(), records).effective.length === 1;
  };

  const cases = [
    ['a higher fence of its tenant', { number: 6, tenant: tenantOf('a') }, false],
    ['a lower fence of its tenant', { number: 4, tenant: tenantOf('a') }, true],
    ['a higher fence of another tenant', { number: 6, tenant: tenantOf('b') }, true],
    [
      'a higher fence of the same tenant id in test mode',
      { number: 6, tenant: { mode: 'test', tenantId: 'a' } },
      true,
    ],
    ['a higher fence of its account', { number: 6, tenant: null }, true],
    ['a higher floor of its account', { number: 6, tenant: 'all' }, false],
    ['a lower floor of its account', { number: 4, tenant: 'all' }, true],
  ] as const;
  for (const [what, fence, expected] of cases) {
    it(`${expected ? 'keep' : 'drop'} a command after ${what}`, () => {
      expect(isEffective(fence)).to.equal(expected);
    });
  }
});

describe('the fences of an account in a partition', () => {
  /** The fences that are stored after fences with these numbers, in the order of their offsets. */
  const storedAfter = (...fenceNumbers: readonly number[]) => {
    const records = fenceNumbers.map((number, offset) => ({
      record: { topic: 'webhooks', partition: 0, offset, timestamp: 0, id: testRecordId(offset) } as const,
      folds: [],
      fencing: { kind: 'fence', scope: testIdentifier('acct'), number } as const,
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
