import { expect } from 'chai';

import { listDeadLetters } from '../../../cli/deadLetters/list.js';
import {
  countPending,
  findPending,
  type DeadLetterSource,
  type DeadLetterFilter,
} from '../../../cli/deadLetters/pendingDeadLetters.js';
import { redrivePending } from '../../../cli/deadLetters/redrivePending.js';
import { createTopicScan } from '../../../shared/log/client/topicScan.js';
import { createDeadLetters, type DeadLetters } from '../../../shared/log/deadLetters/deadLetters.js';
import { createRedrive, type Redrive } from '../../../shared/log/deadLetters/redrive.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import { openTestLog, plainRecord, type TestLog } from '../../support/log.js';
import { createOpened } from '../../support/opened.js';
import { readTopic } from '../../support/readTopic.js';
import { rawRecord } from '../../support/records.js';

const all: DeadLetterFilter = {
  ...{ topics: ['events', 'webhooks'], group: null, reason: null },
  ...{ since: null, until: null, position: null },
};
/** More than a batch. */
const letters = 120;

/** The partition of the record at an offset. */
const partitionAt = (offset: number) => offset % 3;

describe('the redrive of dead letters', () => {
  const opened = createOpened();
  let log: TestLog;
  let source: DeadLetterSource;
  let redrive: Redrive;
  let deadLettersOf: (group: string) => DeadLetters;
  /** The number of appends of markers that fail. */
  let failures: number;

  beforeEach(async () => {
    failures = 0;
    log = await openTestLog({}, ['events', 'events.dlq', 'webhooks', 'webhooks.dlq']);
    const { prefix } = log.config.topics;
    const producer = log.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    opened.add('producer', () => producer.disconnect());
    source = { scan: createTopicScan(log.kafka, prefix), prefix, onProgress: () => undefined };
    const sendBatch: typeof producer.sendBatch = (batch) => {
      const isMarker = batch.topicMessages?.some(({ topic }) => topic.endsWith('.dlq')) === true;
      if (isMarker && failures > 0) {
        failures -= 1;
        throw new Error('the process dies here');
      }
      return producer.sendBatch(batch);
    };
    redrive = createRedrive({ producer: { sendBatch }, prefix, clock: () => new Date() });
    deadLettersOf = (group) =>
      createDeadLetters({
        ...{ producer, prefix, group, clock: () => new Date(), logger: log.logger },
        metrics: createMetrics(),
      });
    for (const group of ['one', 'other']) {
      await Promise.all(
        Array.from({ length: letters }, (_, offset) =>
          deadLettersOf(group).append(
            rawRecord(plainRecord('events', `key-${offset}`), { partition: partitionAt(offset), offset }),
            'unknown',
          ),
        ),
      );
    }
  });

  afterEach(() => opened.releaseAll());

  const redriveAll = async (limit = Infinity) =>
    redrivePending(source, await findPending(source, all), { redrive, limit });

  const left = async () => countPending(await findPending(source, all));

  const keysAppended = async (count: number) =>
    (await readTopic(log, `${source.prefix}events`, count)).map(({ key }) => String(key));

  it('appends each record once, to its original partition, although two groups have rejected it', async () => {
    const { data, total } = await listDeadLetters(source, all, 5);
    const redriven = await redriveAll();
    const appended = await readTopic(log, `${source.prefix}events`, letters);
    const partitionByKey = new Map(appended.map(({ key, partition }) => [String(key), partition]));
    const offsets = Array.from({ length: letters }, (_, offset) => offset);
    expect([data.length, total, redriven, appended.length, await left()]).to.deep.equal([
      ...[5, letters, letters, letters, 0],
    ]);
    expect(offsets.map((offset) => partitionByKey.get(`key-${offset}`))).to.deep.equal(
      offsets.map(partitionAt),
    );
  });

  it('stops at the limit, and a second redrive continues', async () => {
    const first = await redriveAll(30);
    expect([first, await left(), await redriveAll()]).to.deep.equal([30, letters - 30, letters - 30]);
  });

  it('appends a record again if its marker was not written, because the record is still open', async () => {
    failures = 1;
    const broken = await redriveAll().catch((error: unknown) => String(error));
    const open = await left();
    const again = await redriveAll();
    // The first batch of 100 records was appended, without its markers.
    const keys = await keysAppended(100 + letters);
    expect([broken, open, again, new Set(keys).size, await left()]).to.deep.equal([
      'Error: the process dies here',
      letters,
      letters,
      letters,
      0,
    ]);
  });

  it('skips a record that only a read model could not fold, and leaves it open', async () => {
    const record = rawRecord(plainRecord('events', 'not folded'), { offset: letters });
    await deadLettersOf('stats').append(record, 'too large', { model: 'stats' });
    const redriven = await redrivePending(source, await findPending(source, { ...all, isRedrive: true }), {
      ...{ redrive, limit: Infinity },
    });

    expect([redriven, await left(), (await keysAppended(letters)).includes('not folded')]).to.deep.equal([
      letters,
      1,
      false,
    ]);
  });

  it('appends a record that a group could not read, although a read model could not fold it either', async () => {
    const record = rawRecord(plainRecord('events', 'key-0'), { offset: 0 });
    await deadLettersOf('stats').append(record, 'too large', { model: 'stats' });
    const redriven = await redrivePending(source, await findPending(source, { ...all, isRedrive: true }), {
      ...{ redrive, limit: Infinity },
    });

    expect([redriven, await left()]).to.deep.equal([letters, 0]);
  });
});
