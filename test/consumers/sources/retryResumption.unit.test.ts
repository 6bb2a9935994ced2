import { expect } from 'chai';

import type { ResumeInput } from '../../../consumers/engine/resumeDelivery.js';
import type { Awaited } from '../../../consumers/lookups/eventStates.js';
import { createHandleRetry } from '../../../consumers/sources/retries.js';
import { createDueRetries } from '../../../consumers/sources/retryReport.js';
import { tiers } from '../../../shared/domain/deliveries/schedule.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import { encodeRetry, type LogPosition, type RetryRecord } from '../../../shared/log/records/retry.js';
import { admitted } from '../../support/admitted.js';
import { secondsLater, start, testIdentifier, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';

/** The home partition of the event, of three. */
const home = 1;
const identity: ResumeInput['identity'] = {
  eventId: testIdentifier('evt'),
  accountId: testIdentifier('acct'),
  mode: 'live',
  webhookId: testIdentifier('wh'),
  cycle: 1,
  replayId: null,
  epoch: 2,
  positions: { event: { partition: home, offset: 10 }, outcome: { partition: home, offset: 20 } },
};
const attempt = { number: 4, attemptsMade: 2, trigger: 'retry' } as const;
const retry: RetryRecord = { ...identity, ...attempt, due: start };
const state: ResumeInput['state'] = { deliveries: [] };
const atAssignment = [100, 101, 102];
const afterHandOver = [200, 201, 202];

interface Around {
  readonly predatesAssignment?: boolean;
  readonly isLost?: boolean;
  /** When the process handles the record, and how far its clock advances when it is read. */
  readonly now?: { time: Date; readonly stepMs: number };
}

/** What the process does with a record of a retry topic. */
async function handle(
  record: RawRecord,
  { predatesAssignment = false, isLost = false, now = { time: start, stepMs: 0 } }: Around = {},
) {
  const steps: unknown[][] = [];
  const partition = new AbortController();
  const handleRetry = createHandleRetry({
    assignments: {
      prepare: () => undefined,
      of: () =>
        Promise.resolve({
          assignedAt: 0,
          predatesAssignment: () => predatesAssignment,
          deliveries: atAssignment,
          deliveriesAfterHandOver: () => Promise.resolve(afterHandOver),
        }),
    },
    states: {
      of: (eventId: string, awaited: readonly Awaited[]) => {
        steps.push(['look up', eventId, ...awaited.map(({ topic, offsets }) => [topic, ...offsets])]);
        return Promise.resolve(isLost ? null : state);
      },
      knownOf: () => Promise.reject(new Error('an event of a retry is stored')),
      contentOf: () => Promise.reject(new Error('the attempt reads the content')),
    },
    webhookShare: { during: (_record, _owner, work) => work(false) },
    tenantShare: { during: (_record, _owner, work) => work(false) },
    webhookSemaphore: { run: (_owner, work) => work() },
    park: () => Promise.reject(new Error('nothing is parked')),
    inFlight: { run: () => Promise.reject(new Error('nothing is parked')) },
    resumeDelivery: (input) => {
      steps.push(['resume', input]);
      return Promise.resolve('done');
    },
    log: {
      schedule: (retryRecord) => {
        steps.push(['schedule', retryRecord]);
        return Promise.resolve();
      },
      record: () => Promise.reject(new Error('no outcome is recorded')),
    },
    deadLetters: {
      append: (_record, reason) => {
        steps.push(['dead letter', reason]);
        return Promise.resolve();
      },
    },
    dueRetries: createDueRetries(),
    clock: () => {
      const { time } = now;
      now.time = new Date(time.getTime() + now.stepMs);
      return time;
    },
  });
  const result = await handleRetry(record, partition.signal, admitted());
  return { result, steps };
}

const recordOf = (retryRecord: RetryRecord) =>
  rawRecord(encodeRetry(retryRecord, tiers[0], { id: testRecordId(1), at: start }), { partition: home });

/** A record of an earlier version, which may be in another partition than the event, or not name the event's position. */
const earlierRecordOf = (event: LogPosition | null) => {
  const record = recordOf(retry);
  const value = JSON.parse(String(record.value)) as { readonly positions: object };
  const earlier = { ...value, positions: { ...value.positions, event } };
  return { ...record, value: Buffer.from(JSON.stringify(earlier)) };
};

describe('a retry record', () => {
  it('resumes its delivery when it is due, with the state behind its positions', async () => {
    const { result, steps } = await handle(recordOf(retry));
    expect(result).to.equal('done');
    expect(steps).to.deep.equal([
      ['look up', identity.eventId, ['events', [home, 11]], ['deliveries', [home, 21]]],
      [
        'resume',
        {
          identity,
          source: { record: 'retry', cycle: 1, ...attempt, predatesAssignment: false },
          isOverShare: false,
          state,
        },
      ],
    ]);
  });

  it('is looked up behind all outcomes of the previous owner if it predates the assignment', async () => {
    const { steps } = await handle(recordOf(retry), { predatesAssignment: true });
    expect(steps[0]?.slice(-2)).to.deep.equal([
      ['deliveries', [home, 21]],
      ['deliveries', [home, afterHandOver[home]]],
    ]);
    expect(steps[1]?.[1]).to.have.nested.property('source.predatesAssignment', true);
  });

  it('is looked up behind the outcomes at the assignment if it contains no position of an outcome', async () => {
    const rescheduled = { ...retry, positions: { event: { partition: home, offset: null }, outcome: null } };
    const { steps } = await handle(recordOf(rescheduled));
    expect(steps[0]).to.deep.equal(['look up', identity.eventId, ['deliveries', [home, atAssignment[home]]]]);
  });

  for (const [what, event] of [
    ['no position of the event', null],
    ['the position of the event in another partition', { partition: home + 1, offset: 10 }],
  ] as const) {
    it(`of an earlier version with ${what} stays in its own partition, and waits for no position of \`events\``, async () => {
      const { steps } = await handle(earlierRecordOf(event));
      const [lookUp, resumption] = steps;
      expect(lookUp).to.deep.equal(['look up', identity.eventId, ['deliveries', [home, 21]]]);
      expect(resumption?.[1]).to.have.nested.property('identity.positions.event').deep.equal({
        partition: home,
        offset: null,
      });
    });
  }

  it('goes to the next tier while more than a second remains', async () => {
    const later = { ...retry, due: secondsLater(1) };
    expect((await handle(recordOf(later))).steps).to.deep.equal([['schedule', later]]);
  });

  it('waits in memory for less than a second, and is never early', async () => {
    const now = { time: secondsLater(0.95), stepMs: 10 };
    const { steps } = await handle(recordOf({ ...retry, due: secondsLater(1) }), { now });
    expect(now.time.getTime() - now.stepMs).to.be.at.least(secondsLater(1).getTime());
    expect(steps.map(([step]) => step)).to.deep.equal(['look up', 'resume']);
  });

  it('is abandoned if the partition is lost during the look-up', async () => {
    const { result, steps } = await handle(recordOf(retry), { isLost: true });
    expect(result).to.equal('abandoned');
    expect(steps.map(([step]) => step)).to.deep.equal(['look up']);
  });

  it('becomes a dead letter with the reason if it cannot be read', async () => {
    const { result, steps } = await handle({ ...recordOf(retry), value: null });
    expect({ result, steps }).to.deep.equal({
      result: 'done',
      steps: [['dead letter', 'the value of the record is not JSON']],
    });
  });
});
