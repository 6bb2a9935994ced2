import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { expect } from 'chai';

import { eventsProjection } from '../../../projections/models/events.js';
import type { DocumentFold, Projection } from '../../../projections/models/projection.js';
import { createUnfoldedRecords } from '../../../projections/runtime/readRecords.js';
import { createProjectionRunner } from '../../../projections/runtime/runner.js';
import { createSharedTurns } from '../../../shared/concurrency/sharedTurns.js';
import { createTopicOffsets } from '../../../shared/log/client/topicOffsets.js';
import { createDeadLetters, type DeadLetters } from '../../../shared/log/deadLetters/deadLetters.js';
import type { OutgoingRecord } from '../../../shared/log/encoding/record.js';
import { createGroupConsumer } from '../../../shared/log/group/groupConsumer.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import { toBinary } from '../../../shared/store/client/binary.js';
import { connectMongo, type Mongo } from '../../../shared/store/client/client.js';
import { createGenerationStore } from '../../../shared/store/generations/generationStore.js';
import { openGeneration, type ModelGeneration } from '../../../shared/store/generations/modelGeneration.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { groupOf } from '../../../shared/store/models/generations.js';
import { eventually } from '../../support/eventually.js';
import { start, testIdentifier } from '../../support/facts.js';
import { openTestLog, type TestLog } from '../../support/log.js';
import { createOpened } from '../../support/opened.js';
import { readTopic } from '../../support/readTopic.js';

const count = 60;
/** The deadline for a complete model on a busy machine, also if the driver gives up several writes, in milliseconds. */
const completeMs = 60_000;
const throwing = idOf(20);
const tooLarge = idOf(40);
const unreadable = idOf(50);

function idOf(number: number): string {
  return testIdentifier('evt', number);
}

function eventOf(id: string): OutgoingRecord {
  const fields = { accountId: testIdentifier('acct'), mode: 'live', type: 'a', created: start } as const;
  return encodeEvent({ ...fields, id, data: Buffer.from('{}'), onlyWebhookId: null, tenantId: null });
}

/**
 * The fold of one event throws, the document of another is larger than MongoDB accepts, and the codec fails on a third.
 */
const poisonedProjection: Projection<EventDocument> = {
  ...eventsProjection,
  read: (record) => {
    if (record.key?.toString() === unreadable) {
      throw new RangeError('a fault of the codec');
    }
    const decoded = eventsProjection.read(record);
    return decoded.readable ? { readable: true, content: decoded.content.map(poisoned) } : decoded;
  },
};

function poisoned(folding: DocumentFold<EventDocument>): DocumentFold<EventDocument> {
  const apply: DocumentFold<EventDocument>['apply'] = (document) => {
    if (folding.id === throwing) {
      throw new TypeError('a fault of the fold');
    }
    const after = folding.apply(document);
    return after !== null && folding.id === tooLarge
      ? { ...after, data: toBinary(Buffer.alloc(17 * 1024 * 1024)) }
      : after;
  };
  return { ...folding, apply };
}

interface StartOptions {
  readonly isBuilding?: boolean;
  readonly deadLettersOf?: (real: DeadLetters) => DeadLetters;
  readonly generationOf?: (real: ModelGeneration<EventDocument>) => ModelGeneration<EventDocument>;
  readonly database?: Mongo['database'];
  readonly projection?: Projection<EventDocument>;
}

describe('A projection that reads poison records', function () {
  this.timeout(completeMs + 60_000);
  const opened = createOpened();
  let log: TestLog;
  let mongo: Mongo;
  beforeEach(async () => {
    log = await openTestLog();
    opened.add('log', log.close);
    mongo = await connectMongo(log.config.mongodb.url, 'test');
    opened.add('mongodb', mongo.close);
    await Promise.all(
      Array.from({ length: count }, (_, index) => log.producer.append(eventOf(idOf(index + 1)))),
    );
  });
  afterEach(opened.releaseAll);

  async function started({
    isBuilding = false,
    deadLettersOf = (real) => real,
    generationOf = (real) => real,
    database = mongo.database,
    projection = poisonedProjection,
  }: StartOptions) {
    const { prefix } = log.config.topics;
    const metrics = createMetrics();
    const warnings: unknown[] = [];
    const logger = { ...log.logger, warn: (details: unknown) => warnings.push(details) };
    const offsets = createTopicOffsets(log.admin, prefix);
    const store = createGenerationStore({ database: mongo.database, offsets });
    const { live } = await eventually('the model to be begun', () => store.ensureLive('events'));
    const producer = log.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    opened.add('producer', () => producer.disconnect());
    const group = groupOf(prefix, live);
    const real = createDeadLetters({
      ...{ producer, prefix, group, clock: () => new Date(), logger, metrics },
    });
    const runner = createProjectionRunner({
      ...{ projection, offsets, logger },
      consumer: createGroupConsumer(log.kafka, log.logger, {
        ...{ groupId: group, topics: ['events', 'deliveries'], prefix, maximumWaitMs: 100 },
      }),
      generation: generationOf(openGeneration(database, live, projection)),
      deadLetters: createUnfoldedRecords({
        ...{ metrics, logger, prefix, isBuilding: () => isBuilding, deadLetters: deadLettersOf(real) },
      }),
      filterAndDecrypt: (records) => Promise.resolve(records),
      turns: createSharedTurns(),
      onBatch: () => undefined,
    });
    await runner.start((error) => {
      throw error;
    });
    opened.add('runner', runner.stop);
    const documents = mongo.database.collection<EventDocument>(live);
    return {
      metrics,
      warnings,
      documents,
      isComplete: () =>
        eventually(
          'the model to pass all records',
          async () => ((await store.metaOf(live))?.complete === true ? true : null),
          completeMs,
        ),
      folded: async () =>
        (await documents.find({ _id: { $regex: '^evt_' } }, { projection: { _id: 1 } }).toArray()).length,
    };
  }

  const letters = (expected: number) => readTopic(log, `${log.config.topics.prefix}events.dlq`, expected);

  it('folds all other records, and appends the poison records unchanged to the dead letters, each with its reason', async () => {
    const { isComplete, folded, metrics } = await started({});
    await isComplete();
    const found = (await letters(3)).map(({ key, value, headers }) => [
      String(key),
      String(value),
      String(headers?.['dlq_model']),
      String(headers?.['dlq_reason']).replace(/^the read model "events" cannot fold the record: /, ''),
    ]);

    expect({
      folded: await folded(),
      letters: found.sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
      counted: (await metrics.unfoldedRecords.get()).values.map(({ labels, value }) => [labels.model, value]),
    }).to.deep.equal({
      folded: count - 3,
      letters: [
        [throwing, '{}', 'events', 'a fault of the fold'],
        [tooLarge, '{}', 'events', 'offset is out of bounds'],
        [unreadable, '{}', 'events', 'a fault of the codec'],
      ],
      counted: [['events', 3]],
    });
  });

  it('folds the other partitions, and skips no record, while the dead letters cannot be appended', async () => {
    let isAway = true;
    const deadLettersOf = (real: DeadLetters): DeadLetters => ({
      append: (...letter) => (isAway ? Promise.reject(new Error('away')) : real.append(...letter)),
    });
    const { isComplete, folded, documents } = await started({ deadLettersOf });
    const behind = async () => (await documents.findOne({ _id: idOf(1) })) !== null;
    await eventually('a partition without poison to be folded', async () => ((await behind()) ? true : null));
    const before = await folded();
    isAway = false;
    await isComplete();

    expect([before < count - 3, await folded(), (await letters(3)).length]).to.deep.equal([
      true,
      count - 3,
      3,
    ]);
  });

  it('skips the same records in a rebuild, and only logs them', async () => {
    const { isComplete, folded, warnings, metrics } = await started({
      isBuilding: true,
      deadLettersOf: () => ({ append: () => Promise.reject(new Error('a rebuild sets nothing aside')) }),
    });
    await isComplete();
    const reported = warnings.filter((details) => JSON.stringify(details).includes('"model":"events"}'));
    const [counted] = (await metrics.unfoldedRecords.get()).values;

    expect([await folded(), counted?.value, reported.length]).to.deep.equal([count - 3, 3, 3]);
  });

  it('names no record as poison if the connection ends in the middle of each of its first writes', async () => {
    const way = await openWay(log.config.mongodb.url);
    opened.add('way', way.close);
    const cut = await connectMongo(way.url, 'test');
    opened.add('cut mongodb', cut.close);
    let writes = 0;
    const { isComplete, folded, metrics } = await started({
      projection: eventsProjection,
      database: cut.database,
      generationOf: (real) => ({
        ...real,
        write: (changes) => {
          writes += 1;
          const written = real.write(changes);
          // The driver retries a write once, over a new connection.
          return writes <= 3 ? way.cutUntil(written) : written;
        },
      }),
    });
    await isComplete();
    const [end] = await log.admin.fetchTopicOffsets(`${log.config.topics.prefix}events.dlq`);

    expect([
      await folded(),
      end?.offset,
      (await metrics.unfoldedRecords.get()).values,
      writes > 3,
    ]).to.deep.equal([count, '0', [], true]);
  });
});

/** A proxy of the database that can be cut. */
async function openWay(url: string) {
  const { hostname, port, pathname } = new URL(url);
  const connections = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    connections.add(socket);
    const onward = connect(Number(port), hostname);
    socket.on('error', () => undefined).pipe(onward);
    socket.on('close', () => onward.destroy());
    onward.on('error', () => undefined).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `mongodb://127.0.0.1:${address.port}${pathname}?directConnection=true`,
    /** Cuts the proxy until this work has ended. */
    cutUntil: async <Result>(work: Promise<Result>): Promise<Result> => {
      isCut = true;
      connections.forEach((socket) => socket.destroy());
      try {
        return await work;
      } finally {
        isCut = false;
      }
    },
    close: () => {
      server.close();
      connections.forEach((socket) => socket.destroy());
    },
  };
}
