import {
  evolveDelivery,
  isFinal,
  type Delivery,
  type DeliveryFact,
} from '../../../../shared/domain/deliveries/delivery.js';
import {
  nextStep,
  type SourceRecord,
  type ScheduledAttempt,
} from '../../../../shared/domain/deliveries/nextStep.js';
import { contextOf, secondsLater, testActor, testIdentifier, testRecordId } from '../../../support/facts.js';

/** A record of one of the three topics that a pair is met in. */
interface Met {
  readonly source: MetWithoutPlace;
  done: boolean;
}

type MetWithoutPlace = SourceRecord extends infer One
  ? One extends { readonly predatesAssignment: boolean }
    ? Omit<One, 'predatesAssignment'>
    : One
  : never;

/** What fate has in store, drawn one after the other. */
export interface Fate {
  /** Which of the open records comes next, in [0, 1). */
  readonly pick: number;
  /** After which of the steps the process dies; beyond the last for none. */
  readonly diesAfter: number;
  readonly succeeds: boolean;
  readonly asksForCycle: boolean;
  /** Of the work records that wait, which the log deletes unread, while no process runs. */
  readonly deletes: 'nothing' | 'some' | 'all';
}

/** How many attempts a cycle has. */
export const attemptsPerCycle = 4;

class Crash extends Error {}

/**
 * One pair in a world of its own: a log, and a process over it that dies between any two of its steps and begins again.
 * What it remembers dies with it.
 */
export function createCrashingPair() {
  const facts: DeliveryFact[] = [];
  const records: Met[] = [{ source: { record: 'event', trigger: 'first' }, done: false }];
  let remembered = new Set<string>();
  let assignedAt = records.length;
  let crashes = 0;
  let requests = 0;
  /** Whether records are gone and not everything that is open was planned anew since. */
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

  /** While no process runs. Whoever runs next knows that some are gone, and not which. */
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
    /** Of each cycle, the numbers of its attempts in the order in which they were recorded. */
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
