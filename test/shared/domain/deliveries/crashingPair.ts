import { isFinal, type Delivery } from '../../../../shared/domain/deliveries/delivery.js';
import { evolveDelivery } from '../../../../shared/domain/deliveries/evolveDelivery.js';
import type { DeliveryFact } from '../../../../shared/domain/deliveries/deliveryFacts.js';
import {
  nextStep,
  type SourceRecord,
  type ScheduledAttempt,
} from '../../../../shared/domain/deliveries/nextStep.js';
import { contextOf, secondsLater, testActor, testIdentifier, testRecordId } from '../../../support/facts.js';

/** A source record in one of the three topics. */
interface Met {
  readonly source: MetWithoutPlace;
  done: boolean;
}

type TopicRecord = Extract<SourceRecord, { record: 'event' | 'request' | 'retry' }>;

type MetWithoutPlace = TopicRecord extends infer One
  ? One extends { readonly predatesAssignment: boolean }
    ? Omit<One, 'predatesAssignment'>
    : One
  : never;

/** The random decisions of a run, drawn one after the other. */
export interface Fate {
  /** The index of the next open record, in [0, 1). */
  readonly pick: number;
  /** The step after which the process crashes; beyond the last step, it does not crash. */
  readonly diesAfter: number;
  readonly succeeds: boolean;
  readonly asksForCycle: boolean;
  /** The pending retry records that the log deletes unread, while no process runs. */
  readonly deletes: 'nothing' | 'some' | 'all';
}

/** The number of attempts of a cycle. */
export const attemptsPerCycle = 4;

class Crash extends Error {}

/**
 * One delivery in a simulated log, and a process that crashes between any two of its steps and restarts. A crash loses
 * its memory.
 */
export function createCrashingPair() {
  const facts: DeliveryFact[] = [];
  const records: Met[] = [{ source: { record: 'event', trigger: 'first' }, done: false }];
  let remembered = new Set<string>();
  let assignedAt = records.length;
  let crashes = 0;
  let requests = 0;
  /** Whether records are missing and open deliveries were not rescheduled since. */
  let isMissing = false;
  let fate: Fate;
  let steps = 0;

  const mayDie = () => {
    steps += 1;
    if (steps === fate.diesAfter) {
      throw new Crash();
    }
  };

  const delivery = (): Delivery | null =>
    facts.reduce<Delivery | null>(
      (state, fact, index) =>
        evolveDelivery(state, {
          ...fact,
          context: contextOf(testIdentifier('evt'), { id: testRecordId(index) }),
        }),
      null,
    );

  const reference = (cycle: number) => ({ webhookId: testIdentifier('wh'), cycle, epoch: 0, replayId: null });

  const once = (key: string, work: () => void) => {
    if (!remembered.has(key)) {
      work();
      remembered.add(key);
    }
  };

  const plan = (cycle: number, attempt: ScheduledAttempt) => {
    once(`plan/${cycle}/${attempt.number}`, () => {
      records.push({ source: { record: 'retry', cycle, ...attempt }, done: false });
    });
  };

  const attempted = (cycle: number, attempt: ScheduledAttempt): boolean => {
    const isLast = fate.succeeds || attempt.attemptsMade + 1 >= attemptsPerCycle;
    const { number, trigger } = attempt;
    facts.push({
      type: 'postrider.delivery.attempted',
      value: {
        ...reference(cycle),
        ...{ attemptId: `att_${facts.length}`, number, trigger, final: isLast },
        outcome: fate.succeeds ? 'succeeded' : 'failed',
        ...{ statusCode: 500, error: null, attemptedAt: secondsLater(0), durationMs: 0 },
        nextAttemptAt: isLast ? null : secondsLater(1),
        ...{ responseBody: '', responseHeaders: {} },
      },
    });
    return !isLast;
  };

  const workOn = (record: Met) => {
    const predatesAssignment = records.indexOf(record) < assignedAt;
    const { source } = record;
    const step = nextStep(delivery(), source.record === 'event' ? source : { ...source, predatesAssignment });
    const cycle = source.record === 'event' ? 0 : source.cycle;
    if (step.kind === 'schedule') {
      plan(cycle, step.attempt);
      mayDie();
    }
    if (step.kind === 'attempt') {
      const { number, attemptsMade } = step.attempt;
      once(`${cycle}/${number}`, () => {
        mayDie();
        const isPlanned = attempted(cycle, step.attempt);
        mayDie();
        if (isPlanned) {
          plan(cycle, { number: number + 1, attemptsMade: attemptsMade + 1, trigger: 'retry' });
        }
        mayDie();
      });
    }
    record.done = true;
  };

  const begins = () => {
    crashes += 1;
    remembered = new Set();
    assignedAt = records.length;
  };

  /** Runs while no process runs. The next process knows that some records are missing, but not which. */
  const deleteUnread = () => {
    records.forEach((record, index) => {
      const isDeleted = fate.deletes === 'all' || (fate.deletes === 'some' && index % 2 === 0);
      record.done ||= record.source.record === 'retry' && isDeleted;
    });
    isMissing = true;
    begins();
  };

  const planAnew = () => {
    const state = delivery();
    if (state !== null && state.nextAttemptAt !== null) {
      const { cycle } = state;
      const trigger = cycle === 0 ? 'first' : 'resend';
      const step = nextStep(state, { record: 'request', trigger, cycle, predatesAssignment: true });
      if (step.kind === 'schedule') {
        plan(cycle, step.attempt);
      }
    }
    mayDie();
    isMissing = false;
  };

  const ask = () => {
    if (fate.asksForCycle && facts.length > 0) {
      const cycle = (delivery()?.cycle ?? 0) + 1;
      requests += 1;
      const value = { ...reference(cycle), trigger: 'resend' as const, actor: testActor };
      facts.push({ type: 'postrider.delivery.requested', value });
      records.push({ source: { record: 'request', trigger: 'resend', cycle }, done: false });
    }
  };

  return {
    live: (next: Fate) => {
      fate = next;
      steps = 0;
      if (fate.deletes !== 'nothing') {
        deleteUnread();
      }
      ask();
      const open = records.filter(({ done }) => !done);
      const record = open[Math.floor(fate.pick * open.length)];
      try {
        if (isMissing) {
          planAnew();
        }
        if (record !== undefined) {
          workOn(record);
        }
      } catch (error) {
        if (!(error instanceof Crash)) {
          throw error;
        }
        begins();
      }
    },
    isDone: () => !isMissing && records.every(({ done }) => done),
    isFinal: () => {
      const state = delivery();
      return state !== null && isFinal(state);
    },
    /** The numbers of the attempts of each cycle, in the order in which they were recorded. */
    numbers: () =>
      Array.from({ length: requests + 1 }, (_, cycle) =>
        facts.flatMap(({ type, value }) =>
          type === 'postrider.delivery.attempted' && value.cycle === cycle ? [value.number] : [],
        ),
      ),
    retryRecords: () => records.filter(({ source }) => source.record === 'retry').length,
    attempts: () => facts.filter(({ type }) => type === 'postrider.delivery.attempted').length,
    crashes: () => crashes,
  };
}
