import { expect } from 'chai';

import { createDeliver, type DeliverDependencies } from '../../../consumers/engine/deliver.js';
import { createPausableAttempts } from '../../../consumers/engine/pausableAttempts.js';
import type { DeliveryJob, JobOrigin } from '../../../consumers/engine/deliveryJob.js';
import { createInFlightRegistry } from '../../../consumers/engine/inFlightRegistry.js';
import { createOutcomeBackpressure } from '../../../consumers/engine/outcomeBackpressure.js';
import { canceledFact } from '../../../consumers/engine/outcomeFacts.js';
import { maximumStaleness } from '../../../shared/commands/maximumStaleness.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { evolveWebhook, type Webhook } from '../../../shared/domain/webhooks/webhook.js';
import { createWorkInFlight } from '../../../shared/log/window/workInFlight.js';
import { failed, succeeded } from '../../support/deliveryFacts.js';
import { secondsLater, start, testIdentifier } from '../../support/facts.js';
import { webhookCreated } from '../../support/webhookFacts.js';

const webhook = evolveWebhook(null, webhookCreated()) as Webhook;
const content = {
  ...{ id: testIdentifier('evt'), type: 'a.b', created: start, data: Buffer.from('{}') },
  tenantId: null,
};
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
  admit: () => Promise.resolve({ release: () => undefined }),
};

/** A delivery engine with a journal of all that the log gets. */
function engine(own: Partial<DeliverDependencies> = {}) {
  const journal: unknown[][] = [];
  const warnings: unknown[] = [];
  const deliver = createDeliver({
    executeAttempt: () => Promise.resolve(succeeds),
    webhooks: { webhookOf: (_webhook, { notBefore }) => Promise.resolve({ readAt: notBefore, webhook }) },
    replays: { replayOf: () => Promise.reject(new Error('no replay concerns these deliveries')) },
    admission: admitted,
    pausableAttempts: createPausableAttempts(),
    inFlight: createInFlightRegistry(10),
    backpressure: createOutcomeBackpressure(),
    log: {
      record: (_job, facts) => {
        journal.push(['record', ...facts]);
        return Promise.resolve(recordedAt);
      },
      schedule: (retryRecord) => {
        journal.push(['schedule', retryRecord]);
        return Promise.resolve();
      },
    },
    park: (parked, { isFirst }) => {
      journal.push(['park', parked, isFirst]);
      return Promise.resolve('parked');
    },
    endedLives: { contain: () => Promise.resolve(false) },
    backlogs: { isKnown: () => false, isLong: () => Promise.reject(new Error('no backlog is known')) },
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
      executeAttempt: (...[of, to, sent]) => {
        attempts.push([of, to, sent]);
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

describe('a delivery of a deleted tenant', () => {
  const ofTenant: DeliveryJob = { ...job, tenantId: 'customer-1', tenancy: 'life-1' };
  const signal = new AbortController().signal;

  it('is canceled with its reason, also to a webhook that exists', async () => {
    const { run, journal } = engine({ endedLives: { contain: () => Promise.resolve(true) } });
    await run({}, signal, ofTenant);
    expect(journal).to.deep.equal([['record', canceledFact(ofTenant, 'tenant')]]);
    expect(canceledFact(ofTenant, 'tenant').value).to.deep.include({
      error: {
        code: 'tenant_deleted',
        message: 'The tenant was deleted before the event could be delivered',
      },
    });
  });

  it('is canceled if the tenant is deleted while the delivery waits for a slot', async () => {
    let isDeleted = false;
    let time = 0;
    const { run, journal } = engine({
      endedLives: { contain: () => Promise.resolve(isDeleted) },
      admission: {
        admit: (...request) => {
          isDeleted = true;
          time = 10 * maximumStaleness.attempting;
          return admitted.admit(...request);
        },
      },
      now: () => time,
    });
    await run({}, signal, ofTenant);
    expect(journal).to.deep.equal([['record', canceledFact(ofTenant, 'tenant')]]);
  });

  it('looks for the deletion of the tenant if the webhook of the tenant is missing', async () => {
    const { run, journal } = engine({
      webhooks: {
        webhookOf: (_webhook, { notBefore }) => Promise.resolve({ readAt: notBefore, webhook: undefined }),
      },
      endedLives: { contain: (_event, options) => Promise.resolve(options?.isCurrent === true) },
    });
    await run({}, signal, ofTenant);
    await run({}, signal, { ...ofTenant, number: 4, tenancy: '*' });
    expect(journal).to.deep.equal([
      ['record', canceledFact(ofTenant, 'tenant')],
      ['record', canceledFact({ ...ofTenant, number: 4 }, 'deleted')],
    ]);
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
  const busy: DeliverDependencies['admission'] = { admit: () => Promise.resolve('busy') };

  for (const isFirst of [true, false]) {
    it(`is parked, as ${isFirst ? 'the first attempt of its cycle' : 'a retry'}`, async () => {
      const { run, journal } = engine({ admission: busy });
      expect(await run({ isFirst })).to.equal('done');
      expect(journal).to.deep.equal([['park', job, isFirst]]);
    });
  }

  it('is attempted when it is released', async () => {
    let isBusy = true;
    const { run, journal } = engine({
      admission: { admit: (...request) => (isBusy ? busy : admitted).admit(...request) },
    });
    await run();
    isBusy = false;
    await run({ isFirst: false, isRelease: true });
    expect(journal.at(-1)).to.deep.equal(['record', succeeded()]);
  });

  it('is dropped and stays parked if it gets no slot after its release', async () => {
    const { run, journal } = engine({ admission: busy });
    expect(await run({ isFirst: false, isRelease: true })).to.equal('abandoned');
    expect(journal).to.deep.equal([]);
  });
});

describe('a delivery whose webhook has a long backlog', () => {
  const backlogs = { isKnown: () => true, isLong: () => Promise.resolve(true) };

  it('waits behind the backlog', async () => {
    const { run, journal } = engine({ backlogs });
    expect(await run()).to.equal('done');
    expect(journal).to.deep.equal([['park', job, true]]);
  });

  it('is attempted if it is released, or if it is a test', async () => {
    const { run, journal } = engine({ backlogs });
    await run({ isFirst: false, isRelease: true });
    await run({}, undefined, { ...job, webhookId: testIdentifier('wh', 2), trigger: 'test' });
    expect(journal).to.deep.equal([
      ['record', succeeded()],
      ['record', succeeded()],
    ]);
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

  it('sends no request if the partition is lost during the read of the content', async () => {
    const partition = new AbortController();
    const { run, journal } = engine();
    const read = () => {
      partition.abort();
      return Promise.resolve(content);
    };
    expect(await run({ content: read }, partition.signal)).to.equal('abandoned');
    expect(journal).to.deep.equal([]);
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
          return Promise.resolve('aborted');
        },
      },
    });
    expect(await run({}, partition.signal)).to.equal('abandoned');
    expect(journal).to.deep.equal([]);
  });
});
