import fc from 'fast-check';

import type { DeliveryFact, EventMatched } from '../../shared/domain/deliveries/deliveryFacts.js';
import type { AcceptedEvent } from '../../shared/domain/events/event.js';
import { eventTypeKey } from '../../shared/domain/eventTypes/eventType.js';
import type { OutgoingRecord } from '../../shared/log/encoding/record.js';
import { accountRecords } from '../../shared/log/records/accounts.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { encodeEvent } from '../../shared/log/records/events.js';
import { eventTypeRecords } from '../../shared/log/records/eventTypes.js';
import { tenantKey } from '../../shared/domain/tenants/tenant.js';
import { tenantRecords } from '../../shared/log/records/tenants.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import { placementOf } from '../../shared/log/topics/partition.js';
import { accountCreated } from '../support/accountFacts.js';
import { anyAccountFact, anyEventTypeFact, anyTenantFact, anyWebhookFact } from '../support/arbitraries.js';
import {
  canceled,
  deferred,
  failed,
  failedForGood,
  matched,
  parked,
  canceledWithReplay,
  requestedByReplay,
  requested,
  retryParked,
  succeeded,
} from '../support/deliveryFacts.js';
import { eventTypeCreated } from '../support/eventTypeFacts.js';
import { aboutTenant, tenantCreated, tenantKeyCreated } from '../support/tenantFacts.js';
import { contextOf, secondsLater, start, testIdentifier, testRecordId } from '../support/facts.js';
import { webhookCreated } from '../support/webhookFacts.js';
import { partitionCount } from './foldedLog.js';

/** Logs as the service writes them: any facts, in an order that can occur. */

const resources = 3;
const numbers = Array.from({ length: resources }, (_, index) => index + 1);
const anyNumber = fc.constantFrom(...numbers);

export const webhookHistories: fc.Arbitrary<readonly OutgoingRecord[]> = fc
  .array(fc.tuple(anyNumber, anyWebhookFact), { maxLength: 25 })
  .map((changes) => {
    const created = numbers.map((number) => [number, webhookCreated()] as const);
    return [...created, ...changes].map(([number, fact], index) =>
      webhookRecords.encode(fact, contextOf(testIdentifier('wh', number), { id: testRecordId(index) })),
    );
  });

export const accountHistories: fc.Arbitrary<readonly OutgoingRecord[]> = fc
  .array(fc.tuple(anyNumber, anyAccountFact), { maxLength: 25 })
  .map((changes) => {
    const created = numbers.map((number) => [number, accountCreated()] as const);
    return [...created, ...changes].map(([number, fact], index) =>
      accountRecords.encode(
        fact,
        contextOf(testIdentifier('acct', number), { id: testRecordId(index), mode: null }),
      ),
    );
  });

export const eventTypeHistories: fc.Arbitrary<readonly OutgoingRecord[]> = fc
  .array(fc.tuple(anyNumber, anyEventTypeFact), { maxLength: 25 })
  .map((changes) => {
    const created = numbers.map((number) => [number, eventTypeCreated()] as const);
    return [...created, ...changes].map(([number, fact], index) => {
      const key = eventTypeKey(testIdentifier('acct'), `order.number_${number}`);
      const context = { id: testRecordId(2000 + index), at: secondsLater(index) };
      return eventTypeRecords.encode(fact, contextOf(key, context));
    });
  });

/** The creations have the ids of the lives that deletions name. A fact about a key follows the creation of the key. */
export const tenantHistories: fc.Arbitrary<readonly OutgoingRecord[]> = fc
  .array(fc.tuple(anyNumber, anyTenantFact), { maxLength: 25 })
  .map((changes) => {
    const created = numbers.map((number) => [number, tenantCreated(number)] as const);
    // The tenants are numbered from 1, and their creations have the first ids.
    const keys = numbers.map((number) => [number, tenantKeyCreated(number, 2999 + number)] as const);
    return [...created, ...keys, ...changes].map(([number, anyFact], index) => {
      const fact = aboutTenant(number, anyFact);
      const key = tenantKey(testIdentifier('acct'), `customer-${number}`);
      const context = { id: testRecordId(3000 + index), at: secondsLater(index) };
      return tenantRecords.encode(fact, contextOf(key, context));
    });
  });

/** Changes of webhooks, of accounts, of event types and of tenants, with ids of their records. */
export const auditHistories: fc.Arbitrary<readonly OutgoingRecord[]> = fc
  .tuple(webhookHistories, accountHistories, eventTypeHistories, tenantHistories)
  .map(([webhooks, accounts, eventTypes, tenants]) => [
    ...webhooks,
    ...eventTypes,
    ...tenants,
    ...accounts.map((record, index) => ({
      ...record,
      headers: { ...record.headers, ce_id: testRecordId(1000 + index) },
    })),
  ]);

export function eventNumber(number: number): AcceptedEvent {
  return {
    id: testIdentifier('evt', number),
    accountId: testIdentifier('acct'),
    mode: 'live',
    type: `order.number_${number}`,
    created: start,
    data: Buffer.from(`{"number": ${number}.0}`),
    onlyWebhookId: null,
    tenantId: null,
  };
}

const webhookNumbers = [1, 2];

/** The next step of a delivery. A late outcome belongs to the cycle before. */
const steps = [
  'matched',
  'deferred',
  'parked',
  'retry parked',
  'replayed',
  'replayed again',
  'replay canceled',
  'failed',
  'failedForGood',
  'succeeded',
  'attempted again',
  'canceled',
  'requested',
  'late success',
  'late failure',
] as const;

type Step = (typeof steps)[number];

/** The progress of a delivery. */
interface Pair {
  readonly webhook: number;
  cycle: number;
  /** By cycle, the replay that requested it; null for the cycle of the event or of a resend. */
  readonly replayIds: (string | null)[];
  number: number;
  deferrals: number;
}

/** The fact of a step at that time, or none if the step cannot occur. */
function factOf(step: Step, pair: Pair, at: Date): DeliveryFact | EventMatched | null {
  const { cycle, webhook, replayIds } = pair;
  const attempt = { cycle, attemptedAt: at };
  switch (step) {
    case 'matched':
      // The webhook of the step hangs, and the other one does not.
      return matched(
        Object.fromEntries(
          webhookNumbers.map((number) => [testIdentifier('wh', number), number === webhook ? 'busy' : null]),
        ),
      );
    case 'deferred':
      pair.deferrals += 1;
      // Only the first deferral of a cycle is recorded.
      return pair.deferrals === 1 ? deferred(at, cycle) : null;
    case 'parked':
      return parked(pair.number + 1, { cycle });
    case 'retry parked':
      return retryParked(pair.number + 1, { cycle });
    case 'failed':
      return failed({ ...attempt, number: ++pair.number, nextAttemptAt: at });
    case 'failedForGood':
      return failedForGood({ ...attempt, number: ++pair.number });
    case 'succeeded':
      return succeeded({ ...attempt, number: ++pair.number });
    case 'attempted again':
      // A crash before the acknowledgement: the attempt of that number is made and recorded twice.
      return pair.number === 0 ? null : failed({ ...attempt, number: pair.number, statusCode: 502 });
    case 'canceled':
      return canceled(cycle);
    case 'requested':
      beginCycle(pair, null);
      return requested(pair.cycle);
    case 'replayed':
      beginCycle(pair, testIdentifier('rpl', 1));
      return requestedByReplay(pair.cycle, testIdentifier('rpl', 1));
    case 'replayed again':
      // Two replays have read the same state, so both request the same cycle.
      return cycle === 0 ? null : requestedByReplay(cycle, testIdentifier('rpl', 2));
    case 'replay canceled':
      return canceledWithReplay(cycle, replayIds[cycle] ?? testIdentifier('rpl', 2));
    case 'late success':
      return cycle === 0 ? null : succeeded({ ...attempt, cycle: cycle - 1, number: ++pair.number });
    case 'late failure':
      return cycle === 0 ? null : failed({ ...attempt, cycle: cycle - 1, number: ++pair.number });
    default: {
      const never: never = step;
      return never;
    }
  }
}

function beginCycle(pair: Pair, replayId: string | null): void {
  pair.cycle += 1;
  pair.deferrals = 0;
  pair.replayIds[pair.cycle] = replayId;
}

/** Deliveries of three events to two webhooks. */
const deliveryHistories: fc.Arbitrary<readonly OutgoingRecord[]> = fc
  .array(
    fc.record({
      event: anyNumber,
      webhook: fc.constantFrom(...webhookNumbers),
      step: fc.constantFrom(...steps),
    }),
    {
      maxLength: 40,
    },
  )
  .map((happenings) => {
    const pairs = new Map<string, Pair>();
    return happenings.flatMap(({ event, webhook, step }, index) => {
      const pair = pairs.get(`${event}/${webhook}`) ?? newPair(webhook);
      pairs.set(`${event}/${webhook}`, pair);
      const fact = factOf(step, pair, secondsLater(index));
      const context = contextOf(testIdentifier('evt', event), { id: testRecordId(index) });
      const home = placementOf({ id: context.key }, partitionCount);
      return fact === null ? [] : [deliveryRecords.encode(ofPair(fact, pair, index), context, home)];
    });
  });

function newPair(webhook: number): Pair {
  return { webhook, cycle: 0, replayIds: [null], number: 0, deferrals: 0 };
}

/** The fact with the webhook, and with the replay that requested its cycle. An attempt gets the id of that number. */
function ofPair(
  fact: DeliveryFact | EventMatched,
  { webhook, replayIds }: Pair,
  attempt: number,
): DeliveryFact | EventMatched {
  if (fact.type === 'postrider.delivery.matched') {
    return fact;
  }
  const webhookId = testIdentifier('wh', webhook);
  const replayId = replayIds[fact.value.cycle] ?? null;
  switch (fact.type) {
    case 'postrider.delivery.requested':
      return { ...fact, value: { ...fact.value, webhookId } };
    case 'postrider.delivery.attempted':
      return {
        ...fact,
        value: {
          ...{ ...fact.value, webhookId, replayId },
          webhookVersion: attempt % 2,
          attemptId: testIdentifier('att', attempt),
        },
      };
    case 'postrider.delivery.deferred':
      return { ...fact, value: { ...fact.value, webhookId, replayId } };
    case 'postrider.delivery.retry-deferred':
      return { ...fact, value: { ...fact.value, webhookId, replayId } };
    case 'postrider.delivery.canceled':
      return { ...fact, value: { ...fact.value, webhookId, replayId: fact.value.replayId ?? replayId } };
    default: {
      const never: never = fact;
      return never;
    }
  }
}

export const eventHistories: fc.Arbitrary<readonly OutgoingRecord[]> = deliveryHistories.map((deliveries) => [
  ...numbers.map((number) => encodeEvent(eventNumber(number))),
  ...deliveries,
]);

/** The same without the events, and with at least one record. */
export const outcomeHistories = deliveryHistories.filter((records) => records.length > 0);

/** Records that a producer appends twice, at once or after others: `after` is the number of those others. */
export const anyRepeats = fc.array(fc.record({ of: fc.nat(60), after: fc.nat(10) }), {
  minLength: 1,
  maxLength: 8,
});

export function withRepeats(
  records: readonly OutgoingRecord[],
  repeats: readonly { readonly of: number; readonly after: number }[],
): readonly OutgoingRecord[] {
  return repeats.reduce<readonly OutgoingRecord[]>((log, { of, after }) => {
    const index = of % log.length;
    return log.flatMap((record, position) => {
      const repeated = position === Math.min(index + after, log.length - 1) ? (log[index] ?? record) : null;
      return repeated === null ? [record] : [record, repeated];
    });
  }, records);
}
