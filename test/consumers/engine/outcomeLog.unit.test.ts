import { expect } from 'chai';

import type { DeliveryJob } from '../../../consumers/engine/deliveryJob.js';
import { createInFlightRegistry } from '../../../consumers/engine/inFlightRegistry.js';
import { canceledFact, parkedFact } from '../../../consumers/engine/outcomeFacts.js';
import {
  createOutcomeLog,
  createPersistentLog,
  createScheduleOnce,
} from '../../../consumers/engine/outcomeLog.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { LogAppender, TogetherAppended } from '../../../shared/log/producer/producer.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { decodeRetry, type RetryRecord } from '../../../shared/log/records/retry.js';
import { secondsLater, start, testIdentifier, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';

const job: DeliveryJob = {
  eventId: testIdentifier('evt'),
  accountId: testIdentifier('acct'),
  mode: 'live',
  webhookId: testIdentifier('wh'),
  cycle: 0,
  number: 2,
  attemptsMade: 1,
  trigger: 'retry',
  replayId: null,
  epoch: 0,
  positions: { event: { partition: 0, offset: 4 }, outcome: { partition: 1, offset: 5 } },
};

/** A log that acknowledges the appends, after it has failed this many times. */
function openLog(failures = 0) {
  const appends: TogetherAppended[] = [];
  let remaining = failures;
  const appendTogether: LogAppender['appendTogether'] = (records) => {
    appends.push(records);
    remaining -= 1;
    return remaining >= 0
      ? Promise.reject(new UnavailableError('no leader'))
      : Promise.resolve({ topic: 'deliveries', partition: 3, offset: 8 });
  };
  const log: LogAppender = { append: (record) => appendTogether([record]), appendTogether };
  return { log, appends, records: () => appends.flat() };
}

function openOutcomeLog() {
  let ids = 0;
  const { log, appends, records } = openLog();
  const outcomeLog = createOutcomeLog({
    log,
    identifiers: { create: () => '', createRecordId: () => testRecordId((ids += 1)) },
    clock: () => start,
  });
  return { outcomeLog, appends, records };
}

type Appended = ReturnType<ReturnType<typeof openOutcomeLog>['records']>[number];

/** A record as the log hands it over. Throws for a tombstone. */
function read(record: Appended) {
  if (record.value === null) {
    throw new Error('the record has no value');
  }
  return rawRecord(record);
}

describe('the outcome log', () => {
  it('appends the facts of a delivery together and in their order, under the id of its event', async () => {
    const { outcomeLog, appends, records } = openOutcomeLog();
    const facts = [parkedFact(job, true, secondsLater(5)), canceledFact(job, 'deleted')] as const;
    const position = await outcomeLog.record(job, facts);
    const contexts = [1, 2].map((number) => ({
      id: testRecordId(number),
      key: job.eventId,
      accountId: job.accountId,
      mode: job.mode,
      at: start,
    }));
    expect(records().map((record) => deliveryRecords.decode(read(record)))).to.deep.equal(
      facts.map((fact, index) => ({ readable: true, content: { ...fact, context: contexts[index] } })),
    );
    expect(appends).to.have.lengthOf(1);
    expect(position).to.deep.equal({ partition: 3, offset: 8 });
  });

  for (const [seconds, topic] of [
    [0.5, 'deliveries.retry.1s'],
    [4, 'deliveries.retry.1s'],
    [5, 'deliveries.retry.5s'],
    [31, 'deliveries.retry.30s'],
  ] as const) {
    it(`puts a retry that is due in ${seconds} s into ${topic}`, async () => {
      const { outcomeLog, records } = openOutcomeLog();
      const retryRecord: RetryRecord = { ...job, due: secondsLater(seconds) };
      await outcomeLog.schedule(retryRecord);
      const [record] = records();
      expect(record?.topic).to.equal(topic);
      expect(record && decodeRetry(read(record))).to.deep.equal({ readable: true, content: retryRecord });
    });
  }
});

describe('the retry record of an attempt', () => {
  const scheduling = () => {
    const scheduled: RetryRecord[] = [];
    const scheduleOnce = createScheduleOnce({
      log: {
        schedule: (retryRecord) => {
          scheduled.push(retryRecord);
          return Promise.resolve();
        },
      },
      inFlight: createInFlightRegistry(10),
    });
    return { scheduled, scheduleOnce };
  };

  it('is appended once', async () => {
    const { scheduled, scheduleOnce } = scheduling();
    expect([await scheduleOnce(job, start), await scheduleOnce(job, start)]).to.deep.equal(['done', 'done']);
    expect(scheduled).to.deep.equal([{ ...job, due: start }]);
  });

  it('is appended for each attempt of the cycle', async () => {
    const { scheduled, scheduleOnce } = scheduling();
    await scheduleOnce(job, start);
    await scheduleOnce({ ...job, number: 3 }, secondsLater(1));
    expect(scheduled.map(({ number }) => number)).to.deep.equal([2, 3]);
  });
});

describe('the persistent log', () => {
  const record = { topic: 'deliveries', key: 'evt_1', value: Buffer.from('{}'), headers: {} } as const;

  it('repeats an append until it is acknowledged', async () => {
    const warnings: unknown[] = [];
    const { log, appends } = openLog(2);
    const persistent = createPersistentLog(log, { warn: (fields: unknown) => void warnings.push(fields) });
    expect(await persistent.append(record)).to.deep.equal({ topic: 'deliveries', partition: 3, offset: 8 });
    expect(appends).to.deep.equal([[record], [record], [record]]);
    const warning = { topic: 'deliveries', key: 'evt_1', error: 'no leader' };
    expect(warnings).to.deep.equal([warning, warning]);
  });
});
