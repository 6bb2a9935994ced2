import { expect } from 'chai';

import type { JobOrigin } from '../../../consumers/engine/deliveryJob.js';
import { createInFlightRegistry } from '../../../consumers/engine/inFlightRegistry.js';
import { canceledFact } from '../../../consumers/engine/outcomeFacts.js';
import { createResumeDelivery, type ResumeInput } from '../../../consumers/engine/resumeDelivery.js';
import type { Delivery } from '../../../shared/domain/deliveries/delivery.js';
import { evolveDelivery } from '../../../shared/domain/deliveries/evolveDelivery.js';
import { failed, succeeded } from '../../support/deliveryFacts.js';
import { secondsLater, start, testIdentifier } from '../../support/facts.js';

const identity: ResumeInput['identity'] = {
  eventId: testIdentifier('evt'),
  accountId: testIdentifier('acct'),
  mode: 'live',
  webhookId: testIdentifier('wh'),
  cycle: 0,
  replayId: null,
  epoch: 0,
  positions: { event: { partition: 0, offset: 0 }, outcome: null },
};
const event = { record: 'event', trigger: 'first' } as const;
const retry = {
  record: 'retry',
  cycle: 0,
  number: 2,
  attemptsMade: 1,
  trigger: 'retry',
  predatesAssignment: false,
} as const;
const isStored = { partition: 0, offset: 0, appended: start.getTime() };
const content = {
  ...{ id: identity.eventId, type: 'a.b', created: start, data: Buffer.from('{}') },
  tenantId: null,
};

function after(...facts: readonly ReturnType<typeof failed>[]): Delivery {
  const delivery = facts.reduce<Delivery | null>(evolveDelivery, null);
  if (delivery === null) {
    throw new Error('there is no delivery');
  }
  return delivery;
}

/** Resumes a delivery, with a journal of what follows. */
async function resume(
  source: ResumeInput['source'],
  deliveries: readonly Delivery[],
  own: Partial<ResumeInput> = {},
) {
  const steps: unknown[][] = [];
  const origins: JobOrigin[] = [];
  const resumeDelivery = createResumeDelivery({
    deliver: (job, origin) => {
      steps.push(['attempt', job]);
      origins.push(origin);
      return Promise.resolve('abandoned');
    },
    states: { contentOf: (eventId) => Promise.resolve(eventId === identity.eventId ? content : null) },
    log: {
      record: (job, facts) => {
        steps.push(['record', job, ...facts]);
        return Promise.resolve({ partition: 0, offset: 0 });
      },
      schedule: (retryRecord) => {
        steps.push(['schedule', retryRecord]);
        return Promise.resolve();
      },
    },
    inFlight: createInFlightRegistry(10),
    clock: () => secondsLater(1000),
  });
  const state = { source: isStored, deliveries: [...deliveries] };
  const input = { identity, source, isOverShare: false, state, ...own };
  const result = await resumeDelivery(input, new AbortController().signal);
  return { result, steps, origins };
}

describe('a delivery that is resumed', () => {
  it('is attempted first if the log has nothing of it', async () => {
    const { steps, origins } = await resume(event, []);
    expect(steps).to.deep.equal([['attempt', { ...identity, number: 1, attemptsMade: 0, trigger: 'first' }]]);
    expect(origins[0]).to.include({ isFirst: true, isOverShare: false });
  });

  it('is attempted again by its retry record, as one that the log knows of', async () => {
    const { result, steps, origins } = await resume(retry, [after(failed())], { isOverShare: true });
    expect(steps).to.deep.equal([['attempt', { ...identity, number: 2, attemptsMade: 1, trigger: 'retry' }]]);
    expect(origins[0]).to.include({ isFirst: false, isOverShare: true });
    expect(result).to.equal('abandoned');
  });

  it('reads the content of its event when the attempt begins', async () => {
    const { origins } = await resume(event, []);
    expect(await origins[0]?.content()).to.deep.equal(content);
  });

  it('has the content of its source record, if the caller has it', async () => {
    const own = { ...content, data: Buffer.from('[]') };
    const { origins } = await resume(event, [], { content: () => Promise.resolve(own) });
    expect(await origins[0]?.content()).to.equal(own);
  });

  it('gets the retry record that a crash has left out, at the time that its outcome contains', async () => {
    const { result, steps } = await resume(event, [after(failed())]);
    expect(steps).to.deep.equal([
      ['schedule', { ...identity, number: 2, attemptsMade: 1, trigger: 'retry', due: secondsLater(60) }],
    ]);
    expect(result).to.equal('done');
  });

  it('gets a retry record that is due now if its outcome contains no time', async () => {
    const pending: Delivery = { ...after(failed()), nextAttemptAt: null };
    const { steps } = await resume(event, [pending]);
    expect(steps).to.deep.equal([
      ['schedule', { ...identity, number: 2, attemptsMade: 1, trigger: 'retry', due: secondsLater(1000) }],
    ]);
  });

  it('ends if the log has its last outcome', async () => {
    expect(await resume(event, [after(succeeded())])).to.deep.equal({
      result: 'done',
      steps: [],
      origins: [],
    });
  });

  it('does not follow from the outcome of another webhook', async () => {
    const ofOther = after(succeeded({ webhookId: testIdentifier('wh', 2) }));
    const { steps } = await resume(event, [ofOther]);
    expect(steps.map(([step]) => step)).to.deep.equal(['attempt']);
  });

  it('is canceled if its event has expired', async () => {
    const { result, steps } = await resume(retry, [after(failed())], {
      state: { deliveries: [after(failed())] },
    });
    const job = { ...identity, number: 2, attemptsMade: 1, trigger: 'retry' } as const;
    expect(steps).to.deep.equal([['record', job, canceledFact(job, 'expired')]]);
    expect(result).to.equal('done');
  });
});
