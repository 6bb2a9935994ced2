import { once } from 'node:events';

import { expect } from 'chai';

import { statsProjection } from '../../../projections/models/stats.js';
import { createProjectionRunner } from '../../../projections/runtime/runner.js';
import { createSharedTurns } from '../../../shared/concurrency/sharedTurns.js';
import { createTopicOffsets } from '../../../shared/log/client/topicOffsets.js';
import type { DeadLetters } from '../../../shared/log/deadLetters/deadLetters.js';
import type { OutgoingRecord } from '../../../shared/log/encoding/record.js';
import { createGroupConsumer } from '../../../shared/log/group/groupConsumer.js';
import { lagsOf } from '../../../shared/log/lag/groupReport.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { connectMongo, type Mongo } from '../../../shared/store/client/client.js';
import { createGenerationStore } from '../../../shared/store/generations/generationStore.js';
import { openGeneration } from '../../../shared/store/generations/modelGeneration.js';
import { groupOf, metaId, type MetaDocument } from '../../../shared/store/models/generations.js';
import { createReadModels } from '../../../shared/store/models/readModels.js';
import { statsDocumentsWithin } from '../../../shared/store/models/statsDocuments.js';
import { succeeded } from '../../support/deliveryFacts.js';
import { eventually } from '../../support/eventually.js';
import { secondsLater, testIdentifier, testRecordId } from '../../support/facts.js';
import { openTestLog, plainRecord, type TestLog } from '../../support/log.js';

const noDeadLetters: DeadLetters = {
  append: () => Promise.reject(new Error('nothing here is unreadable')),
};

const hourMs = 3_600_000;

function attempt(number: number): OutgoingRecord {
  const fact = succeeded({ number });
  return deliveryRecords.encode(fact, { ...fact.context, id: testRecordId(number) }, 0);
}

interface StartOptions {
  readonly onLost?: (error: Error) => void;
  readonly warn?: (details: unknown, message?: string) => void;
}

describe('createProjectionRunner', () => {
  let log: TestLog;
  let mongo: Mongo;
  before(async () => {
    log = await openTestLog();
    mongo = await connectMongo(log.config.mongodb.url, 'test');
  });
  after(async () => {
    await mongo.close();
    await log.close();
  });

  /** A projection of statistics that behaves like a process of its group. */
  async function started(
    deadLetters: DeadLetters = noDeadLetters,
    {
      onLost = (error: Error): void => {
        throw error;
      },
      warn = () => undefined,
    }: StartOptions = {},
  ) {
    const { prefix } = log.config.topics;
    const topics = ['events', 'deliveries'] as const;
    const offsets = createTopicOffsets(log.admin, prefix);
    const store = createGenerationStore({ database: mongo.database, offsets });
    // A topic that was just created has no leader for a moment.
    const { live } = await eventually('the model to be begun', () => store.ensureLive('stats'));
    const runner = createProjectionRunner({
      projection: statsProjection,
      consumer: createGroupConsumer(log.kafka, log.logger, {
        groupId: groupOf(prefix, live),
        topics,
        prefix,
        maximumWaitMs: 100,
      }),
      generation: openGeneration(mongo.database, live, statsProjection),
      deadLetters,
      offsets: createTopicOffsets(log.admin, prefix),
      filterAndDecrypt: (records) => Promise.resolve(records),
      turns: createSharedTurns(),
      logger: { ...log.logger, warn },
      onBatch: () => undefined,
      truncationCheckMs: 100,
    });
    await runner.start(onLost);
    return runner;
  }

  async function countedOnce(number: number): Promise<number> {
    const { stats } = createReadModels(mongo.database);
    const series = { accountId: testIdentifier('acct'), mode: 'live', name: 'all' } as const;
    return eventually(`the model to be at attempt ${number}`, async () => {
      const meta = await stats.meta();
      const read = Object.values(meta.positions.deliveries ?? {}).reduce((sum, offset) => sum + offset, 0);
      const hour = Math.floor(secondsLater(1).getTime() / hourMs) * hourMs;
      const { documents } = await stats.findAll(
        statsDocumentsWithin(series, 'hour', { start: hour, end: hour + hourMs }),
      );
      const counts = documents.map(({ parts }) => parts['12']?.succeeded ?? 0);
      return read >= number ? counts.reduce((sum, count) => sum + count, 0) : null;
    });
  }

  /** Deletes all records of the topic, and resolves to the sum of its end offsets. */
  async function deleteRecords(): Promise<number> {
    const topic = `${log.config.topics.prefix}deliveries`;
    const ends = await log.admin.fetchTopicOffsets(topic);
    await log.admin.deleteTopicRecords({
      topic,
      partitions: ends
        .filter(({ low, high }) => low !== high)
        .map(({ partition, high }) => ({ partition, offset: high })),
    });
    return ends.reduce((sum, { high }) => sum + Number(high), 0);
  }

  it('counts a record once that was appended again while no process ran', async () => {
    await log.producer.append(attempt(1));
    await log.producer.append(attempt(2));
    const first = await started();
    await countedOnce(2);
    await first.stop();
    await log.producer.append(attempt(1));
    await log.producer.append(attempt(3));
    const second = await started();
    const counted = await countedOnce(4);
    await second.stop();

    expect(counted).to.equal(3);
  });

  it('reports its lag and its oldest record while a record cannot be folded, and neither afterwards', async () => {
    let isAway = true;
    const runner = await started({
      append: () => (isAway ? Promise.reject(new Error('unavailable')) : Promise.resolve()),
    });
    await log.producer.append(plainRecord('deliveries', 'unreadable'));
    const offsets = createTopicOffsets(log.admin, log.config.topics.prefix);
    const lag = async () => (await lagsOf(runner, offsets)).reduce((sum, one) => sum + one.lag, 0);
    await eventually('a lag', async () =>
      (await lag()) === 1 && (runner.unfinishedSince() ?? Infinity) <= Date.now() ? true : null,
    );
    isAway = false;
    await eventually('no lag', async () =>
      (await lag()) === 0 && runner.unfinishedSince() === null ? true : null,
    );
    await runner.stop();
  });

  it('continues after records that the log deleted before they were read, and logs their offsets', async () => {
    const first = await started();
    await countedOnce(4);
    await first.stop();
    await log.producer.append(attempt(8));
    const deleted = await deleteRecords();
    const warnings: unknown[] = [];
    const second = await started(noDeadLetters, {
      warn: (details, message) => warnings.push({ details, message }),
    });
    await log.producer.append(attempt(9));
    const counted = await countedOnce(deleted + 1);
    await second.stop();

    expect([counted, warnings.filter((warning) => isOfDeleted(warning)).length]).to.deep.equal([4, 1]);
  });

  it('continues after records that the log deleted while they could not be folded, even if no record follows', async () => {
    const warnings: unknown[] = [];
    const runner = await started(
      { append: () => Promise.reject(new Error('unavailable')) },
      { warn: (details, message) => warnings.push({ details, message }) },
    );
    await log.producer.append(plainRecord('deliveries', 'never folded'));
    await eventually('an unfinished record', () => (runner.unfinishedSince() === null ? null : true));
    await deleteRecords();
    const offsets = createTopicOffsets(log.admin, log.config.topics.prefix);
    await eventually('no lag', async () =>
      (await lagsOf(runner, offsets)).every(({ lag }) => lag === 0) ? true : null,
    );
    await runner.stop();

    expect(warnings.filter((warning) => isOfDeleted(warning))).to.have.lengthOf(1);
  });

  it('folds nothing into a generation that was emptied during a fold, and stays in its group until it is stopped', async () => {
    const held = new AbortController();
    const letGo = new AbortController();
    const losses: Error[] = [];
    const warnings: unknown[] = [];
    const runner = await started(
      {
        append: async () => {
          held.abort();
          await (letGo.signal.aborted ? null : once(letGo.signal, 'abort'));
        },
      },
      { onLost: (error) => losses.push(error), warn: (details) => warnings.push(details) },
    );
    await log.producer.append(attempt(4));
    await log.producer.append(plainRecord('deliveries', 'held'));
    await eventually('a batch that is being folded', () => (held.signal.aborted ? true : null));
    await mongo.database.dropDatabase();
    letGo.abort();
    await eventually('the loss to be noticed', () =>
      JSON.stringify(warnings).includes('the read model was emptied') ? true : null,
    );
    const metas = await Promise.all(
      (await mongo.database.listCollections().toArray()).map(({ name }) =>
        mongo.database.collection<MetaDocument>(name).findOne({ _id: metaId }),
      ),
    );
    await runner.stop();

    expect({ losses, metas: metas.filter((meta) => meta !== null) }).to.deep.equal({ losses: [], metas: [] });
  });
});

function isOfDeleted(warning: unknown): boolean {
  return JSON.stringify(warning).includes('the log has deleted records that the read model has not read');
}
