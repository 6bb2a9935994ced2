import { attemptKey } from '../../../consumers/engine/deliveryJob.js';
import { isFinal, type Delivery } from '../../../shared/domain/deliveries/delivery.js';
import type { DeliveryFact } from '../../../shared/domain/deliveries/deliveryFacts.js';
import { evolveDelivery } from '../../../shared/domain/deliveries/evolveDelivery.js';
import {
  nextStep,
  type ScheduledAttempt,
  type SourceRecord,
} from '../../../shared/domain/deliveries/nextStep.js';
import { isUnattempted } from '../../../shared/domain/deliveries/replayWithdrawal.js';
import { withdraw } from '../../../shared/domain/replays/replayDecisions.js';
import { contextOf, secondsLater, testActor, testIdentifier, testRecordId } from '../../support/facts.js';

/** The random decisions of one step. */
export interface Fate {
  /** The index of the next open record, in [0, 1). */
  readonly pick: number;
  /** The action after which the process crashes, or loses the partition and regains it. */
  readonly diesAfter: number;
  readonly succeeds: boolean;
  /** Whether the attempt of this step ends in a later step. */
  readonly hangs: boolean;
  /** What happens before the step. `repeats` appends the last request or cancelation once more. */
  readonly client: 'nothing' | 'replays' | 'resends' | 'cancels' | 'cancelsEarlier' | 'repeats';
}

type Owned =
  | { readonly source: SourceRecord; readonly cycle: number; readonly replayId: string | null }
  /** The record that canceled a replay. */
  | { readonly cancels: string };

interface Met {
  readonly owned: Owned;
  done: boolean;
  /** The attempt in flight of the record. */
  inFlight: ScheduledAttempt | null;
}

const attemptsPerCycle = 3;

class Crash extends Error {}

/**
 * One delivery, with replays that are requested and canceled at any moment, in a simulated log. The process works on the
 * records in any order, and crashes between any two of its actions.
 * @param isMissing whether the event has no delivery before its first replay
 */
export function createWithdrawnPair(isMissing: boolean) {
  const facts: DeliveryFact[] = [];
  const records: Met[] = [];
  const canceled = new Set<string>();
  let remembered = new Set<string>();
  let assignedAt = 0;
  let replays = 0;
  let steps = 0;
  let fate: Fate;

  const add = (owned: Owned) => records.push({ owned, done: false, inFlight: null });

  if (!isMissing) {
    add({ source: { record: 'event', trigger: 'first' }, cycle: 0, replayId: null });
    assignedAt = 1;
  }

  const act = () => {
    steps += 1;
    if (steps === fate.diesAfter) {
      throw new Crash();
    }
  };

  const delivery = (): Delivery | null =>
    facts.reduce<Delivery | null>((state, fact, index) => {
      const context = contextOf(testIdentifier('evt'), { id: testRecordId(index) });
      return evolveDelivery(state, { ...fact, context });
    }, null);

  const reference = (cycle: number, replayId: string | null) => {
    return { webhookId: testIdentifier('wh'), cycle, epoch: 0, replayId };
  };

  const keyOf = (cycle: number, replayId: string | null, attempt: ScheduledAttempt) =>
    attemptKey({
      ...{
        eventId: 'evt',
        accountId: 'acct',
        mode: 'live',
        positions: { event: { partition: 0, offset: 0 }, outcome: null },
      },
      ...{ ...reference(cycle, replayId), ...attempt },
    });

  const plan = (cycle: number, replayId: string | null, attempt: ScheduledAttempt) => {
    const key = `retry/${keyOf(cycle, replayId, attempt)}`;
    if (!remembered.has(key)) {
      add({ source: { record: 'retry', cycle, predatesAssignment: false, ...attempt }, cycle, replayId });
      remembered.add(key);
    }
  };

  const appendWithdrawal = (of: Parameters<typeof withdraw>[0]) => {
    facts.push(withdraw(of));
    const { cycle } = of;
    add({ source: { record: 'withdrawal', trigger: 'first', cycle }, cycle, replayId: null });
    act();
  };

  const appendOutcome = (cycle: number, replayId: string | null, attempt: ScheduledAttempt) => {
    const { number, attemptsMade, trigger } = attempt;
    const final = fate.succeeds || attemptsMade + 1 >= attemptsPerCycle;
    facts.push({
      type: 'postrider.delivery.attempted',
      value: {
        ...reference(cycle, replayId),
        ...{ attemptId: `att_${facts.length}`, number, trigger, final, durationMs: 0 },
        outcome: fate.succeeds ? 'succeeded' : 'failed',
        ...{ statusCode: 500, error: null, attemptedAt: secondsLater(0), responseBody: '' },
        ...{ nextAttemptAt: final ? null : secondsLater(1), responseHeaders: {} },
      },
    });
    act();
    if (!final) {
      plan(cycle, replayId, { number: number + 1, attemptsMade: attemptsMade + 1, trigger: 'retry' });
      act();
    }
  };

  /** What `deliver` does for an attempt. Returns whether the record is done. */
  const attempt = (record: Met, next: ScheduledAttempt, cycle: number, replayId: string | null): boolean => {
    const key = keyOf(cycle, replayId, next);
    const isElsewhere = records.some(
      ({ owned, inFlight }) =>
        inFlight !== null && !('cancels' in owned) && keyOf(owned.cycle, owned.replayId, inFlight) === key,
    );
    if (remembered.has(key) || isElsewhere) {
      return remembered.has(key);
    }
    act();
    if (replayId !== null && next.attemptsMade === 0 && canceled.has(replayId)) {
      appendWithdrawal(reference(cycle, replayId));
    } else if (fate.hangs) {
      record.inFlight = next;
      return false;
    } else {
      appendOutcome(cycle, replayId, next);
    }
    remembered.add(key);
    return true;
  };

  /** What the sweep of a canceled replay does. */
  const sweep = (replayId: string): boolean => {
    const state = delivery();
    if (state !== null && isUnattempted(state, replayId)) {
      appendWithdrawal(state);
    }
    return true;
  };

  const endAttempt = (record: Met, ended: ScheduledAttempt, cycle: number, replayId: string | null) => {
    record.inFlight = null;
    appendOutcome(cycle, replayId, ended);
    remembered.add(keyOf(cycle, replayId, ended));
    return true;
  };

  const workOn = (record: Met): boolean => {
    const { owned } = record;
    if ('cancels' in owned) {
      return sweep(owned.cancels);
    }
    const { cycle, source } = owned;
    const state = delivery();
    const replayId = source.record === 'withdrawal' ? (state?.replayId ?? null) : owned.replayId;
    if (record.inFlight !== null) {
      return endAttempt(record, record.inFlight, cycle, replayId);
    }
    const predatesAssignment = records.indexOf(record) < assignedAt;
    const step = nextStep(state, { ...source, predatesAssignment } as SourceRecord);
    if (step.kind === 'schedule') {
      plan(cycle, replayId, step.attempt);
      act();
    }
    return step.kind === 'attempt' ? attempt(record, step.attempt, cycle, replayId) : true;
  };

  const request = (replayId: string | null) => {
    const state = delivery();
    const cycle = (state?.cycle ?? 0) + 1;
    const trigger = replayId === null ? 'resend' : 'replay';
    const value = { ...reference(cycle, replayId), trigger, actor: testActor } as const;
    facts.push({ type: 'postrider.delivery.requested', value });
    add({ source: { record: 'request', trigger, cycle, predatesAssignment: false }, cycle, replayId });
  };

  const cancel = (replay: number) => {
    const replayId = testIdentifier('rpl', replay);
    if (replay > 0) {
      canceled.add(replayId);
      add({ cancels: replayId });
    }
  };

  const replayAnew = () => {
    if (isMissing || delivery() !== null) {
      replays += 1;
      request(testIdentifier('rpl', replays));
    }
  };

  const clients: Readonly<Record<Fate['client'], () => void>> = {
    nothing: () => undefined,
    replays: replayAnew,
    resends: () => {
      if (delivery() !== null) {
        request(null);
      }
    },
    cancels: () => {
      cancel(replays);
    },
    cancelsEarlier: () => {
      cancel(Math.ceil(fate.pick * (replays - 1)));
    },
    repeats: () => {
      if (canceled.has(testIdentifier('rpl', replays))) {
        cancel(replays);
      }
    },
  };

  const crash = () => {
    remembered = new Set();
    records.forEach((record) => (record.inFlight = null));
    assignedAt = records.length;
  };

  return {
    live: (next: Fate) => {
      fate = next;
      steps = 0;
      clients[fate.client]();
      const open = records.filter(({ done }) => !done);
      const record = open[Math.floor(fate.pick * open.length)];
      try {
        if (record !== undefined) {
          record.done = workOn(record);
        }
      } catch (error) {
        if (!(error instanceof Crash)) {
          throw error;
        }
        crash();
      }
    },
    isDone: () => records.every(({ done }) => done),
    /** Whether no attempt can follow: the delivery has ended, or never existed. */
    isFinal: () => {
      const state = delivery();
      return state === null || isFinal(state);
    },
    delivery,
    withdrawals: () => facts.filter(({ type }) => type === 'postrider.delivery.canceled').length,
  };
}
