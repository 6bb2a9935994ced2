import { expect } from 'chai';
import fc from 'fast-check';

import type { Owner } from '../../../../api/http/ownership.js';
import { readCounts } from '../../../../api/resources/stats/statsCounts.js';
import { createSelectStats } from '../../../../api/resources/stats/statsSelection.js';
import type { OutgoingRecord } from '../../../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../../../shared/log/records/deliveries.js';
import { encodeEvent } from '../../../../shared/log/records/events.js';
import type { MetaDocument } from '../../../../shared/store/models/generations.js';
import type { TenantDocument } from '../../../../shared/store/models/documents.js';
import type { StatsDocument } from '../../../../shared/store/models/statsDocuments.js';
import { succeeded } from '../../../support/deliveryFacts.js';
import { contextOf, start, testIdentifier, testRecordId } from '../../../support/facts.js';
import { appended, batchedFetches, batchesOf, partitionCount } from '../../../projections/foldedLog.js';
import { foldFromStart } from '../../../projections/foldedStats.js';
import { anyRepeats, eventNumber, withRepeats } from '../../../projections/histories.js';

const accountId = testIdentifier('acct');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const firstHour = Math.floor(start.getTime() / hourMs) * hourMs;
const hours = 4;
/** The tenant `a` has two lives. The second one is its current life. */
const lives = { a: ['a-1', 'a-2'], b: ['b-1'] } as const;

interface PostedEvent {
  readonly kind: 'event';
  readonly tenantId: 'a' | 'b' | null;
  readonly minute: number;
  readonly partition: number;
}

interface Attempt {
  readonly kind: 'attempt';
  readonly tenancy: 'a-1' | 'a-2' | 'b-1' | '*' | null;
  readonly minute: number;
  readonly partition: number;
}

const anyMinute = fc.nat(hours * 60 - 1);
const anyPartition = fc.nat(partitionCount - 1);

/** Events are appended at about the time of their creation, so their minutes rise nearly with their offsets. */
const anyHistory: fc.Arbitrary<readonly (PostedEvent | Attempt)[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('event' as const),
      tenantId: fc.constantFrom('a' as const, 'b' as const, null),
      minute: anyMinute,
      partition: anyPartition,
    }),
    fc.record({
      kind: fc.constant('attempt' as const),
      tenancy: fc.constantFrom('a-1' as const, 'a-2' as const, 'b-1' as const, '*' as const, null),
      minute: anyMinute,
      partition: anyPartition,
    }),
  ),
  { minLength: 1, maxLength: 60 },
);

function recordOf(one: PostedEvent | Attempt, index: number): OutgoingRecord {
  const at = new Date(firstHour + one.minute * minuteMs + 30_000);
  if (one.kind === 'event') {
    const event = {
      ...eventNumber(1),
      id: testIdentifier('evt', index),
      created: at,
      tenantId: one.tenantId,
    };
    return encodeEvent(event, one.partition);
  }
  const { context: _context, ...fact } = succeeded({ attemptedAt: at });
  const { tenancy } = one;
  const tenant = tenancy === null ? {} : { tenancy };
  const context = contextOf(testIdentifier('evt', index), { id: testRecordId(index), ...tenant });
  return deliveryRecords.encode(fact, context, one.partition);
}

const meta = { complete: true } as MetaDocument;

function statsIn(documents: ReadonlyMap<string, StatsDocument>) {
  return {
    findAll: (filter: object) => {
      const { _id } = filter as { readonly _id: { readonly $gte: string; readonly $lt: string } };
      const found = [...documents].filter(([id]) => id >= _id.$gte && id < _id.$lt).map(([, one]) => one);
      return Promise.resolve({ documents: found, meta });
    },
  };
}

function tenantDocument(tenantId: 'a' | 'b'): TenantDocument {
  const [first, second] = lives[tenantId];
  const deletedAt = new Date(firstHour);
  const ended = { lifeId: first, eventsFrom: [], eventsBelow: [], deletedAt, isErased: true };
  return {
    ...{ _id: tenantId, positions: {}, recordIds: [], accountId, mode: 'live', tenantId, created: start },
    ...{ status: 'active', name: null, metadata: [], eventsFrom: [], revocations: 0 },
    lifeId: second ?? first,
    ended: second === undefined ? [] : [ended],
  };
}

const select = createSelectStats({
  tenantOfWebhook: () => Promise.resolve(null),
  tenants: {
    findByIds: (_accountId, [id = '']) => {
      const tenantId = id.endsWith('/a') ? 'a' : id.endsWith('/b') ? 'b' : null;
      return Promise.resolve({ documents: tenantId === null ? [] : [tenantDocument(tenantId)], meta });
    },
  },
});

const account: Owner = { accountId, mode: 'live', tenant: null };

type Counts = ReadonlyMap<number, readonly [events: number, attempts: number]>;

/** The counts that a request gets. */
async function countedBy(
  documents: ReadonlyMap<string, StatsDocument>,
  {
    caller,
    tenantId,
    bucket,
  }: Pick<Parameters<typeof select>[0], 'caller' | 'tenantId'> & { readonly bucket: 'minute' | 'hour' },
): Promise<Counts> {
  const buckets = {
    ...{ bucket, start: firstHour, end: firstHour + hours * hourMs },
    bucketMs: bucket === 'minute' ? minuteMs : hourMs,
  };
  const selection = await select({ caller, tenantId, webhookId: undefined, start: buckets.start });
  const counts = await readCounts(statsIn(documents), selection, buckets);
  return new Map(
    [...counts]
      .map(([at, { events, succeeded: attempts }]) => [at, [events, attempts] as const] as const)
      .filter(([, [events, attempts]]) => events + attempts > 0)
      .toSorted(([one], [other]) => one - other),
  );
}

/** The counts of events and attempts that meet a condition. */
function expectedOf(
  history: readonly (PostedEvent | Attempt)[],
  isIt: (one: PostedEvent | Attempt, index: number) => boolean,
  bucket: 'minute' | 'hour',
): Counts {
  const size = bucket === 'minute' ? minuteMs : hourMs;
  const counts = new Map<number, readonly [number, number]>();
  for (const one of history.filter(isIt).toSorted((first, second) => first.minute - second.minute)) {
    const at = Math.floor((firstHour + one.minute * minuteMs) / size) * size;
    const [events, attempts] = counts.get(at) ?? [0, 0];
    counts.set(at, one.kind === 'event' ? [events + 1, attempts] : [events, attempts + 1]);
  }
  return counts;
}

/** The documents of a history, some of whose records are appended twice. */
async function documentsOf(
  history: readonly (PostedEvent | Attempt)[],
  repeats: Parameters<typeof withRepeats>[1],
  plan: Parameters<typeof batchesOf>[1],
) {
  const log = appended(withRepeats(history.map(recordOf), repeats));
  return { log, documents: await foldFromStart(log, batchesOf(log, plan)) };
}

const anyBucket = fc.constantFrom('minute' as const, 'hour' as const);

describe('the statistics of tenants', () => {
  it('are the counts of their events, and of the attempts of their webhooks', () =>
    fc.assert(
      fc.asyncProperty(
        ...[anyHistory, anyRepeats, batchedFetches, anyBucket],
        async (history, repeats, plan, bucket) => {
          const { documents } = await documentsOf(history, repeats, plan);
          const read = (tenantId: string | null | undefined) =>
            countedBy(documents, { caller: account, tenantId, bucket });
          const expected = (isIt: Parameters<typeof expectedOf>[1]) => expectedOf(history, isIt, bucket);

          expect([await read(undefined), await read('a'), await read('b'), await read('c')]).to.deep.equal([
            expected(() => true),
            expected((one) =>
              one.kind === 'event' ? one.tenantId === 'a' : one.tenancy?.startsWith('a-') === true,
            ),
            expected((one) => (one.kind === 'event' ? one.tenantId === 'b' : one.tenancy === 'b-1')),
            new Map(),
          ]);
          expect(await read(null)).to.deep.equal(
            expected((one) => (one.kind === 'event' ? one.tenantId : one.tenancy) === null),
          );
        },
      ),
    ));

  it('are those of its life for a tenant caller, without minutes that have events from before the life', () =>
    fc.assert(
      fc.asyncProperty(
        ...[anyHistory, anyRepeats, batchedFetches],
        fc.tuple(anyBucket, fc.array(fc.nat(20), { maxLength: 3 })),
        async (history, repeats, plan, [bucket, eventsFrom]) => {
          const { log, documents } = await documentsOf(history, repeats, plan);
          const tenant = { tenantId: 'a', lifeId: 'a-2', eventsFrom, credential: 'portal' } as const;
          const offsetOf = (index: number, { partition }: PostedEvent) => {
            const id = testIdentifier('evt', index);
            const records = log.find(([first]) => first?.topic === 'events' && first.partition === partition);
            return records?.find(({ headers }) => String(headers['ce_id']) === id)?.offset ?? -1;
          };
          const isBefore = (one: PostedEvent, index: number) =>
            offsetOf(index, one) < (eventsFrom[one.partition] ?? 0);
          const divided = new Set(
            history.flatMap((one, index) =>
              one.kind === 'event' && one.tenantId === 'a' && isBefore(one, index)
                ? [`${one.partition}/${one.minute}`]
                : [],
            ),
          );

          expect(
            await countedBy(documents, { caller: { ...account, tenant }, tenantId: 'a', bucket }),
          ).to.deep.equal(
            expectedOf(
              history,
              (one) =>
                one.kind === 'event'
                  ? one.tenantId === 'a' && !divided.has(`${one.partition}/${one.minute}`)
                  : one.tenancy === 'a-2',
              bucket,
            ),
          );
        },
      ),
    ));
});
