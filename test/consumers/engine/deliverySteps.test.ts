import { expect } from 'chai';

import {
  createDeliver,
  createPausableAttempts,
  type DeliverDependencies,
} from '../../../consumers/engine/deliver.js';
import type { DeliveryJob, JobOrigin } from '../../../consumers/engine/deliveryJob.js';
import { createInFlightRegistry } from '../../../consumers/engine/inFlightRegistry.js';
import { createOutcomeBackpressure } from '../../../consumers/engine/outcomeBackpressure.js';
import { canceledFact, deferredFact } from '../../../consumers/engine/outcomeFacts.js';
import { maximumStaleness } from '../../../shared/commands/maximumStaleness.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { tiers } from '../../../shared/domain/deliveries/tiers.js';
import { evolveWebhook, type Webhook } from '../../../shared/domain/webhooks/webhook.js';
import { createWorkInFlight } from '../../../shared/log/window/workInFlight.js';
import { failed, succeeded } from '../../support/deliveryFacts.js';
import { secondsLater, start, testIdentifier } from '../../support/facts.js';
import { webhookCreated } from '../../support/webhookFacts.js';

const webhook = evolveWebhook(null, webhookCreated()) as Webhook;
const content = { id: testIdentifier('evt'), type: 'a.b', created: start, data: Buffer.from('{}') };
const recordedAt = { partition: 2, offset: 7 };

const job: DeliveryJob = {
  eventId: testIdentifier('evt'),
  accountId: testIdentifier('acct'),
  mode: 'live',
  webhookId: webhook.id,
  cycle: 0,
  number: 3,
  attemptsMade: 2,
  trigger: 'first',
  replayId: null,
  epoch: 0,
  positions: { event: { partition: 0, offset: 1 }, outcome: { partition: 2, offset: 3 } },
};

const succeeds = { facts: [succeeded()], nextAttemptAt: null } as const;
const isDueAgain = { facts: [failed()], nextAttemptAt: secondsLater(60) } as const;
const admitted: DeliverDependencies['admission'] = {
  admit: async (_job, _origin, _signal, attempt) => ({ kind: 'ran', result: await attempt() }),
};

/** A delivery engine with a journal of all that the log gets. */
function engine(own: Partial<DeliverDependencies> = {}) {
  const journal: unknown[][] = [];
  const warnings: unknown[] = [];
  const deliver = createDeliver({
    executeAttempt: () => Promise.resolve(succeeds),
    webhooks: { webhookOf: (_webhook, { notBefore }) => Promise.resolve({ readAt: notBefore, webhook }) },
    admission: admitted,
    pausableAttempts: createPausableAttempts(),
    inFlight: createInFlightRegistry(10),
    backpressure: createOutcomeBackpressure(),
    log: {
      record: (_job, facts) => {
        journal.push(['record', ...facts]);
        return Promise.resolve(recordedAt);
      },
      schedule: (retryRecord, tier) => {
        journal.push(['schedule', retryRecord, tier?.name]);
        return Promise.resolve();
      },
    },
    logger: { warn: (fields: unknown) => void warnings.push(fields) },
    now: () => 0,
    ...own,
  });
  const run = (origin: Partial<JobOrigin> = {}, signal = new AbortController().signal, of = job) =>
    deliver(
      of,
      { isFirst: true, isOverShare: false, content: () => Promise.resolve(content), ...origin },
      signal,
    );
  return { run, journal, warnings };
}

describe('a delivery to an active webhook', () => {
  it('attempts its job with the state of the webhook and the content of the event', async () => {
    const attempts: unknown[] = [];
    const { run } = engine({
      executeAttempt: (...attempt) => {
        attempts.push(attempt);
        return Promise.resolve(succeeds);
      },
    });
    await run();
    expect(attempts).to.deep.equal([[job, webhook, content]]);
  });

  it('is canceled with its reason if the event has expired', async () => {
    const { run, journal } = engine();
    await run({ content: () => Promise.resolve(null) });
    expect(journal).to.deep.equal([['record', canceledFact(job, 'expired')]]);
  });
});

describe('a delivery whose attempt fails', () => {
  it('records the outcome and then the retry, as the next attempt of the cycle behind that outcome', async () => {
    const { run, journal } = engine({ executeAttempt: () => Promise.resolve(isDueAgain) });
    expect(await run()).to.equal('done');
    expect(journal).to.deep.equal([
      ['record', failed()],
      [
        'schedule',
        {
          ...job,
          number: 4,
          attemptsMade: 3,
          trigger: 'retry',
          due: secondsLater(60),
          positions: { event: job.positions.event, outcome: recordedAt },
        },
        undefined,
      ],
    ]);
  });

  it('schedules no retry if the schedule is exhausted', async () => {
    const { run, journal } = engine();
    await run();
    expect(journal).to.deep.equal([['record', succeeded()]]);
  });

  it('records nothing if this process has aborted the request', async () => {
    const { run, journal } = engine({ executeAttempt: () => Promise.resolve(null) });
    expect(await run()).to.equal('abandoned');
    expect(journal).to.deep.equal([]);
  });
});

describe('a delivery whose webhook is busy', () => {
  const [, tier] = tiers;
  const due = secondsLater(5);
  const busy: DeliverDependencies['admission'] = {
    admit: () => Promise.resolve({ kind: 'deferred', due, tier }),
  };

  it('records the deferral of a new cycle, and waits in the tier behind that record', async () => {
    const { run, journal } = engine({ admission: busy });
    expect(await run({ isFirst: true })).to.equal('done');
    expect(journal).to.deep.equal([
      ['record', deferredFact(job, due)],
      ['schedule', { ...job, due, positions: { ...job.positions, outcome: recordedAt } }, '5s'],
    ]);
  });

  it('is not recorded as deferred again if it comes from a retry', async () => {
    const { run, journal } = engine({ admission: busy });
    await run({ isFirst: false });
    expect(journal).to.deep.equal([['schedule', { ...job, due }, '5s']]);
  });

  it('is attempted when its deferral ends', async () => {
    let isBusy = true;
    const { run, journal } = engine({
      admission: { admit: (...request) => (isBusy ? busy : admitted).admit(...request) },
    });
    await run();
    isBusy = false;
    await run({ isFirst: false });
    expect(journal.at(-1)).to.deep.equal(['record', succeeded()]);
  });
});

describe('a duplicate of a delivery', () => {
  it('is not attempted again', async () => {
    const { run, journal } = engine();
    await run();
    expect(await run()).to.equal('done');
    expect(journal).to.have.lengthOf(1);
  });

  for (const [what, other] of Object.entries({
    event: { eventId: testIdentifier('evt', 2) },
    webhook: { webhookId: testIdentifier('wh', 2) },
    cycle: { cycle: 1 },
    attempt: { number: 4 },
  })) {
    it(`is not a delivery of another ${what}`, async () => {
      const { run, journal } = engine();
      await run();
      await run({}, undefined, { ...job, ...other });
      expect(journal).to.have.lengthOf(2);
    });
  }
});

describe('a read of the webhook', () => {
  const oldestMs = maximumStaleness.attempting;

  /** The clock advances by `slowMs` during each read, but not after `slowReads` of them. */
  const slowly = (slowMs: number, slowReads: number) => {
    const clock = { ms: 0, reads: [] as number[] };
    const webhookOf: DeliverDependencies['webhooks']['webhookOf'] = (_webhook, { notBefore }) => {
      const readAt = clock.ms;
      clock.reads.push(notBefore);
      clock.ms += clock.reads.length <= slowReads ? slowMs : 0;
      return Promise.resolve({ readAt, webhook });
    };
    return { clock, webhooks: { webhookOf }, now: () => clock.ms };
  };

  it('may have its maximum age when the attempt begins', async () => {
    const { clock, ...slow } = slowly(oldestMs, Infinity);
    await engine(slow).run();
    expect(clock.reads).to.deep.equal([-oldestMs]);
  });

  it('is repeated if it is older than that', async () => {
    const { clock, ...slow } = slowly(oldestMs + 1, 1);
    await engine(slow).run();
    expect(clock.reads).to.deep.equal([-oldestMs, 1]);
  });

  it('is repeated three times with the slot, which another attempt may have after that', async () => {
    const { clock, ...slow } = slowly(oldestMs + 1, 4);
    const warnings: unknown[] = [];
    const { run, journal } = engine({
      ...slow,
      logger: { warn: (fields: unknown) => void warnings.push(fields, clock.reads.length) },
    });
    expect(await run()).to.equal('done');
    const error = 'MongoDB returns the webhook too slowly';
    expect(warnings).to.deep.equal([{ webhookId: webhook.id, failures: 1, error }, 4]);
    expect(journal).to.deep.equal([['record', succeeded()]]);
  });

  it('begins after the first one if it has to confirm that the webhook does not exist', async () => {
    const reads: number[] = [];
    const { run, journal } = engine({
      now: () => 1000,
      webhooks: {
        webhookOf: (_webhook, { notBefore }) => {
          reads.push(notBefore);
          return Promise.resolve({ readAt: notBefore, webhook: undefined });
        },
      },
    });
    await run();
    expect(reads).to.deep.equal([1000 - oldestMs, 1000]);
    expect(journal).to.deep.equal([['record', canceledFact(job, 'deleted')]]);
  });
});

describe('a delivery that fails by an error', () => {
  it('is repeated, after longer and longer pauses, while a dependency is unavailable', async () => {
    let attempts = 0;
    const { run, warnings } = engine({
      executeAttempt: () => {
        attempts += 1;
        return attempts < 3 ? Promise.reject(new UnavailableError('no database')) : Promise.resolve(succeeds);
      },
    });
    const startedAt = performance.now();
    expect(await run()).to.equal('done');
    expect(performance.now() - startedAt).to.be.at.least(590);
    expect(warnings).to.deep.equal(
      [1, 2].map((failures) => ({ webhookId: webhook.id, failures, error: 'no database' })),
    );
  });

  it('is not repeated if the program has a fault', async () => {
    let attempts = 0;
    const { run } = engine({
      executeAttempt: () => {
        attempts += 1;
        return Promise.reject(new TypeError('a fault'));
      },
    });
    const error: unknown = await run().catch((thrown: unknown) => thrown);
    expect({ error: String(error), attempts }).to.deep.equal({ error: 'TypeError: a fault', attempts: 1 });
  });

  it('is not repeated once the partition is lost', async () => {
    const partition = new AbortController();
    const { run, journal } = engine({
      executeAttempt: () => {
        partition.abort();
        return Promise.reject(new UnavailableError('no database'));
      },
    });
    expect(await run({}, partition.signal)).to.equal('abandoned');
    expect(journal).to.deep.equal([]);
  });
});

describe('a delivery during a rebalance of its group', () => {
  it('begins when the rebalance ends', async () => {
    const pausableAttempts = createPausableAttempts();
    const group = createWorkInFlight();
    const { signal } = new AbortController();
    pausableAttempts.add(signal, group);
    const { run, journal } = engine({ pausableAttempts });
    group.hold();
    const delivered = run({}, signal);
    await new Promise(setImmediate);
    expect(journal).to.deep.equal([]);
    group.release();
    expect(await delivered).to.equal('done');
    expect(journal).to.deep.equal([['record', succeeded()]]);
  });

  it('begins after the rebalance if that has started while it waited for a slot', async () => {
    const pausableAttempts = createPausableAttempts();
    const group = createWorkInFlight();
    const { signal } = new AbortController();
    pausableAttempts.add(signal, group);
    const admissions: string[] = [];
    const { run, journal } = engine({
      pausableAttempts,
      admission: {
        admit: async (...request) => {
          if (admissions.push('admitted') === 1) {
            group.hold();
            setImmediate(group.release);
          }
          return admitted.admit(...request);
        },
      },
    });
    expect(await run({}, signal)).to.equal('done');
    expect({ admissions, journal }).to.deep.equal({
      admissions: ['admitted', 'admitted'],
      journal: [['record', succeeded()]],
    });
  });

  it('never begins if the slot comes after the loss of the partition', async () => {
    const partition = new AbortController();
    const { run, journal } = engine({
      admission: {
        admit: () => {
          partition.abort();
          return Promise.resolve({ kind: 'ran', result: null });
        },
      },
    });
    expect(await run({}, partition.signal)).to.equal('abandoned');
    expect(journal).to.deep.equal([]);
  });
});
