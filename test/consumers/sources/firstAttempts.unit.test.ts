import { expect } from 'chai';

import type { Deliver } from '../../../consumers/engine/deliver.js';
import type { RecordedState } from '../../../consumers/engine/deliveryJob.js';
import type { ResumeDelivery } from '../../../consumers/engine/resumeDelivery.js';
import { createHandleEvent, type HandleEventDependencies } from '../../../consumers/sources/firstAttempts.js';
import { nothingKnown, type KnownDeliveries } from '../../../consumers/sources/priorDeliveries.js';
import { createSharedTurns } from '../../../shared/concurrency/sharedTurns.js';
import { evolveDelivery } from '../../../shared/domain/deliveries/evolveDelivery.js';
import { evolveWebhook, type Webhook, type WebhookState } from '../../../shared/domain/webhooks/webhook.js';
import { createFilters } from '../../../shared/filters/filters.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import type { WorkResult } from '../../../shared/log/window/retryingHandler.js';
import { admitted } from '../../support/admitted.js';
import { failed } from '../../support/deliveryFacts.js';
import { start, testIdentifier } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { webhookCreated } from '../../support/webhookFacts.js';

const never = new AbortController().signal;

const event = {
  id: testIdentifier('evt'),
  accountId: testIdentifier('acct'),
  mode: 'live',
  type: 'order.completed',
  created: start,
  data: Buffer.from('{}'),
  onlyWebhookId: null,
  tenantId: null,
} as const;
const record = rawRecord(encodeEvent(event));

function webhookOfId(id: string): Webhook {
  const state: WebhookState = evolveWebhook(null, webhookCreated({ eventsFrom: [0] }));
  if (state === null || state.status === 'deleted') {
    throw new Error('there is no webhook');
  }
  return { ...state, id, events: ['*'] };
}

interface Handling {
  readonly deliver?: Deliver;
  readonly resumeDelivery?: ResumeDelivery;
  readonly known?: KnownDeliveries;
  /** The results of the appends of the matched webhooks, in turn. */
  readonly appended?: readonly (() => Promise<WorkResult>)[];
  /** The webhooks of each read, in turn. */
  readonly webhooks?: readonly (readonly string[])[];
  readonly endedLives?: HandleEventDependencies['endedLives'];
}

/** A handler of events, with the named webhooks of its `.matched` records. */
function handlerOf({ deliver = unexpected, resumeDelivery = unexpected, ...given }: Handling) {
  const { known = { deliveries: [], areComplete: false } } = given;
  const { appended = [], webhooks = [['wh_fails', 'wh_waits']] } = given;
  const named: string[][] = [];
  let reads = 0;
  const handleRecord = createHandleEvent({
    accountCheck: () => Promise.resolve(null),
    priorDeliveries: () => Promise.resolve(known),
    webhooks: {
      webhooksOf: () => {
        const ids = webhooks[Math.min(reads, webhooks.length - 1)] ?? [];
        reads += 1;
        return Promise.resolve({ readAt: 0, webhooks: ids.map(webhookOfId) });
      },
      webhookOf: () => Promise.reject(new Error('a matched webhook is not read again here')),
    },
    filters: createFilters({ turns: createSharedTurns(), seconds: { observe: () => undefined } }),
    endedLives: given.endedLives ?? { contain: () => Promise.resolve(false) },
    deliver,
    resumeDelivery,
    appendMatched: (matched) => {
      const append = appended[named.length] ?? (() => Promise.resolve('done' as const));
      named.push(matched.webhooks.map(({ webhookId }) => webhookId));
      return append();
    },
    deadLetters: { append: () => Promise.reject(new Error('the record can be read')) },
  });
  return { handleRecord, named };
}

function unexpected(): Promise<never> {
  return Promise.reject(new Error('nothing was delivered before'));
}

/** Handles the record of an event that two webhooks match, with this function for its delivery jobs. */
function handle(deliver: Deliver) {
  return handlerOf({ deliver }).handleRecord(record, never, admitted());
}

/** A delivery that reports its state in the log. */
function recording(state: RecordedState): Deliver {
  return (_job, { progress }) => {
    progress?.begun();
    progress?.recorded(state);
    return Promise.resolve('done');
  };
}

/** A promise that a test resolves. */
function later<Result>() {
  let end: (result: Result) => void = () => undefined;
  const result = new Promise<Result>((resolve) => {
    end = resolve;
  });
  return { result, end };
}

describe('the handler of events', () => {
  it('does not end a record with a failed delivery while another delivery is in flight', async () => {
    let end: () => void = () => undefined;
    const inFlight = new Promise<'done'>((resolve) => {
      end = () => {
        resolve('done');
      };
    });
    let isEnded = false;
    const handled = handle(({ webhookId }) =>
      webhookId === 'wh_fails' ? Promise.reject(new TypeError('a fault')) : inFlight,
    )
      .catch((error: unknown) => error)
      .finally(() => {
        isEnded = true;
      });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isEnded).to.equal(false);
    end();
    expect(await handled).to.be.instanceOf(TypeError);
  });

  it('delivers no event of a deleted tenant, at a position that the life of the tenant contains', async () => {
    const asked: unknown[] = [];
    const { handleRecord } = handlerOf({
      deliver: () => Promise.reject(new Error('no webhook matches')),
      endedLives: {
        contain: ({ tenantId, position: { partition, offset } }) => {
          asked.push([tenantId, partition, offset]);
          return Promise.resolve(true);
        },
      },
    });
    const ofTenant = encodeEvent({ ...event, tenantId: 'customer-1' });
    const result = await handleRecord(rawRecord(ofTenant, { partition: 2, offset: 7 }), never, admitted());
    expect([result, asked]).to.deep.equal(['done', [['customer-1', 2, 7]]]);
  });

  it('reports a record as abandoned if one of its deliveries was abandoned', async () => {
    const result = await handle(({ webhookId }) =>
      Promise.resolve(webhookId === 'wh_fails' ? 'abandoned' : 'done'),
    );
    expect(result).to.equal('abandoned');
  });

  it('appends nothing for an event whose deliveries end within half a second', async () => {
    for (const state of ['ended', 'failed'] as const) {
      const { handleRecord, named } = handlerOf({ deliver: recording(state) });
      expect([await handleRecord(record, never, admitted()), named]).to.deep.equal(['done', []]);
    }
  });

  it('names all webhooks of an event if a first attempt has failed, and ends the record afterwards', async () => {
    const { result, end } = later<'done'>();
    const { handleRecord, named } = handlerOf({ deliver: recording('retrying'), appended: [() => result] });
    let known = 0;
    const handled = handleRecord(record, never, admitted({ know: () => (known += 1) }));
    const isFirst = await Promise.race([handled, new Promise((resolve) => setImmediate(resolve, 'waits'))]);
    const before = known;
    end('done');
    expect([isFirst, before, await handled, known, named]).to.deep.equal([
      'waits',
      0,
      'done',
      1,
      [['wh_fails', 'wh_waits']],
    ]);
  });

  it('names all webhooks of an event half a second after it was taken up, if a delivery has not ended', async () => {
    const { result, end } = later<'done'>();
    const { handleRecord, named } = handlerOf({
      deliver: (job, origin, signal) =>
        job.webhookId === 'wh_waits' ? result : recording('ended')(job, origin, signal),
    });
    const begun = performance.now();
    const known = later<number>();
    const handled = handleRecord(record, never, admitted({ know: () => known.end(performance.now()) }));
    const waitedMs = (await known.result) - begun;
    end('done');
    expect([await handled, named]).to.deep.equal(['done', [['wh_fails', 'wh_waits']]]);
    expect(waitedMs).to.be.at.least(450);
  });

  it('waits for no attempt after half a second, even if the log acknowledges nothing', async () => {
    const [acknowledged, delivered, begun] = [later<'done'>(), later<'done'>(), later<'begun'>()];
    const { handleRecord } = handlerOf({
      deliver: () => delivered.result,
      appended: [() => acknowledged.result],
    });
    const handled = handleRecord(record, never, admitted({ started: () => begun.end('begun') }));
    expect(await begun.result).to.equal('begun');
    acknowledged.end('done');
    delivered.end('done');
    expect(await handled).to.equal('done');
  });

  it('appends the webhooks again if the append has failed', async () => {
    const { handleRecord, named } = handlerOf({
      deliver: recording('retrying'),
      appended: [() => Promise.reject(new Error('a fault'))],
    });
    const names = ['wh_fails', 'wh_waits'];
    expect([await handleRecord(record, never, admitted()), named]).to.deep.equal(['done', [names, names]]);
  });

  it('delivers to the webhooks of its first call if it is called again', async () => {
    const delivered: string[] = [];
    const { handleRecord, named } = handlerOf({
      deliver: (job, origin, signal) => {
        delivered.push(job.webhookId);
        return delivered.length === 1 ? unexpected() : recording('retrying')(job, origin, signal);
      },
      webhooks: [['wh_1'], ['wh_2']],
    });
    const failure: unknown = await handleRecord(record, never, admitted()).catch((error: unknown) => error);
    const again = await handleRecord(record, never, admitted());
    expect(failure).to.be.instanceOf(Error);
    expect([again, delivered, named]).to.deep.equal(['done', ['wh_1', 'wh_1'], [['wh_1']]]);
  });

  it('abandons the record of an event whose webhooks were not acknowledged before the partition was lost', async () => {
    const { handleRecord } = handlerOf({
      deliver: recording('retrying'),
      appended: [() => Promise.resolve('abandoned'), () => Promise.resolve('abandoned')],
    });
    expect(await handleRecord(record, never, admitted())).to.equal('abandoned');
  });

  for (const [how, known, wasTakenUp] of [
    ['the log names its webhooks', { areComplete: true }, false],
    ['an earlier owner has taken it up', { areComplete: false }, true],
  ] as const) {
    it(`resumes exactly the deliveries of an event if ${how}`, async () => {
      const resumed: string[] = [];
      const { handleRecord, named } = handlerOf({
        known: { ...known, deliveries: [evolveDelivery(null, failed())] },
        resumeDelivery: ({ identity }) => {
          resumed.push(identity.webhookId);
          return Promise.resolve('done');
        },
      });
      let knew = 0;
      const result = await handleRecord(record, never, admitted({ wasTakenUp, know: () => (knew += 1) }));
      expect([result, resumed, knew, named]).to.deep.equal(['done', [testIdentifier('wh')], 1, []]);
    });
  }

  it('resumes deliveries with the content of the record, which the model may not contain yet', async () => {
    const contents: unknown[] = [];
    const { handleRecord } = handlerOf({
      known: { deliveries: [evolveDelivery(null, failed())], areComplete: true },
      resumeDelivery: async ({ content }) => {
        contents.push((await content?.())?.data.toString());
        return 'done';
      },
    });
    await handleRecord(record, never, admitted());
    expect(contents).to.deep.equal(['{}']);
  });

  it('takes up an event that no other process can have read, whatever the taken-up offset', async () => {
    const delivered: string[] = [];
    const { handleRecord } = handlerOf({
      known: nothingKnown,
      deliver: (job, origin, signal) => {
        delivered.push(job.webhookId);
        return recording('ended')(job, origin, signal);
      },
    });
    const result = await handleRecord(record, never, admitted({ wasTakenUp: true }));
    expect([result, delivered]).to.deep.equal(['done', ['wh_fails', 'wh_waits']]);
  });

  it('names the deliveries that the log contains, and resumes them next to those of other webhooks', async () => {
    const delivered: string[] = [];
    const { handleRecord, named } = handlerOf({
      known: { deliveries: [evolveDelivery(null, failed())], areComplete: false },
      webhooks: [['wh_new', testIdentifier('wh')]],
      resumeDelivery: () => Promise.resolve('done'),
      deliver: (job, origin, signal) => {
        delivered.push(job.webhookId);
        return recording('retrying')(job, origin, signal);
      },
    });
    await handleRecord(record, never, admitted());
    expect([delivered, named]).to.deep.equal([['wh_new'], [[testIdentifier('wh'), 'wh_new']]]);
  });

  it('waits for no attempt once each delivery has begun or is recorded', async () => {
    const { result, end } = later<'done'>();
    const begin: (() => void)[] = [];
    const { handleRecord } = handlerOf({
      deliver: (_job, { progress }) => {
        begin.push(() => progress?.begun());
        return result;
      },
    });
    let started = 0;
    const handled = handleRecord(record, never, admitted({ started: () => (started += 1) }));
    while (begin.length < 2) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    begin[0]?.();
    const afterOne = started;
    begin[1]?.();
    const afterBoth = started;
    end('done');
    await handled;
    expect([afterOne, afterBoth, started]).to.deep.equal([0, 1, 1]);
  });

  it('begins the delivery of another event before those of an event that many webhooks match', async () => {
    const many = Array.from({ length: 100 }, (_, index) => `wh_${index}`);
    const begun: string[] = [];
    const { handleRecord } = handlerOf({
      webhooks: [many, ['wh_other']],
      deliver: (job, origin, signal) => {
        begun.push(job.webhookId);
        return recording('ended')(job, origin, signal);
      },
    });
    const other = rawRecord(encodeEvent(event), { offset: 1 });
    await Promise.all([handleRecord(record, never, admitted()), handleRecord(other, never, admitted())]);
    expect([begun.length, begun.indexOf('wh_other') < many.length / 10]).to.deep.equal([101, true]);
  });
});
