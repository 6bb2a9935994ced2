import { expect } from 'chai';

import { statsProjection } from '../../../projections/models/stats.js';
import { createProjectionRunner, type ProjectionRunner } from '../../../projections/runtime/runner.js';
import { createSharedTurns } from '../../../shared/concurrency/sharedTurns.js';
import { createLogger } from '../../../shared/core/logger.js';
import type { FetchedPart } from '../../../shared/log/group/batchReader.js';
import type { GroupConsumer, GroupConsumerHandlers } from '../../../shared/log/group/groupConsumer.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import type { Mongo } from '../../../shared/store/client/client.js';
import { openGeneration, type ModelGeneration } from '../../../shared/store/generations/modelGeneration.js';
import { metaId, newGenerationName, type MetaDocument } from '../../../shared/store/models/generations.js';
import { statsDocumentId, type StatsDocument } from '../../../shared/store/models/statsDocuments.js';
import { succeeded } from '../../support/deliveryFacts.js';
import { eventually } from '../../support/eventually.js';
import { secondsLater, testIdentifier, testRecordId } from '../../support/facts.js';
import { openNewDatabase } from '../../support/mongo.js';
import { createOpened } from '../../support/opened.js';
import { rawRecord } from '../../support/records.js';

const partition = { topic: 'deliveries', partition: 0 } as const;
const logLength = 20;
/** The producer got no answer for the record at the first offset, and appended it again at the second. */
const [repeated, repetition] = [2, 17];

const log = Array.from({ length: logLength }, (_, offset) => {
  const number = (offset === repetition ? repeated : offset) + 1;
  const fact = succeeded({ number });
  const record = deliveryRecords.encode(fact, { ...fact.context, id: testRecordId(number) }, 0);
  return rawRecord(record, { ...partition, offset });
});

function part(begin: number, end: number): FetchedPart {
  return { begin, end, records: log.slice(begin, end) };
}

/** A consumer whose assignments and fetches the test controls. */
function scriptedConsumer() {
  const seeks: number[] = [];
  let handlers: GroupConsumerHandlers | null = null;
  const consumer: GroupConsumer = {
    start: (given) => {
      handlers = given;
      return Promise.resolve();
    },
    pause: () => undefined,
    resume: () => undefined,
    seek: ({ offset }) => {
      seeks.push(offset);
    },
    commit: () => Promise.resolve(true),
    stop: () => Promise.resolve(),
  };
  return {
    consumer,
    /** Assigns the partition, and resolves to the offset of the seek. */
    rebalance: async () => {
      const before = seeks.length;
      handlers?.onAssignment([partition]);
      return eventually('the seek to where the documents end', () => seeks[before] ?? null);
    },
    /** Passes fetched records on, and resolves to the next offset to fetch. */
    fetched: (begin: number, end: number) => handlers?.onBatch(partition, part(begin, end)),
  };
}

type Step = 'write' | 'advance';

/** A generation in which one step of one fold waits for the test. */
function slowGeneration(generation: ModelGeneration<StatsDocument>) {
  let slow: Step | null = null;
  let held: (() => void) | null = null;
  const hold = async (step: Step) => {
    if (slow === step) {
      slow = null;
      await new Promise<void>((resolve) => {
        held = resolve;
      });
    }
  };
  return {
    generation: {
      ...generation,
      write: async (...changes: Parameters<typeof generation.write>) => {
        await hold('write');
        return generation.write(...changes);
      },
      advance: async (...next: Parameters<typeof generation.advance>) => {
        const result = await generation.advance(...next);
        await hold('advance');
        return result;
      },
    },
    /** Resolves, once a fold waits at the step, to the function that continues it. */
    holdNext: (step: Step) => {
      slow = step;
      return () => eventually(`a fold that is held at its ${step}`, () => held);
    },
  };
}

describe('The projection runner during a rebalance in the middle of a fold', () => {
  const opened = createOpened();
  let mongo: Mongo;
  before(async () => {
    mongo = await openNewDatabase();
  });
  afterEach(opened.releaseAll);

  async function started() {
    const name = newGenerationName('stats', 3);
    const metas = mongo.database.collection<MetaDocument>(name);
    await metas.insertOne({ _id: metaId, version: 1, complete: true, positions: {}, target: {} });
    const { generation, holdNext } = slowGeneration(openGeneration(mongo.database, name, statsProjection));
    const { consumer, ...script } = scriptedConsumer();
    const runner: ProjectionRunner = createProjectionRunner({
      projection: statsProjection,
      ...{ consumer, generation },
      deadLetters: { append: () => Promise.reject(new Error('nothing here is unreadable')) },
      offsets: { beginnings: () => Promise.resolve([0]) },
      filterAndDecrypt: (records) => Promise.resolve(records),
      turns: createSharedTurns(),
      logger: createLogger({ role: 'test', level: 'silent', isTerminal: false }),
      onBatch: () => undefined,
    });
    await runner.start((error) => {
      throw error;
    });
    opened.add('runner', runner.stop);
    const series = { accountId: testIdentifier('acct'), mode: 'live', name: 'all' } as const;
    const _id = statsDocumentId(series, 'hour', secondsLater(1), 0);
    return {
      ...script,
      holdNext,
      /** The number of counted attempts, and the position of the model. */
      model: async () => ({
        counted: (await mongo.database.collection<StatsDocument>(name).findOne({ _id }))?.parts['12']
          ?.succeeded,
        position: (await generation.positions())?.deliveries?.['0'],
      }),
    };
  }

  for (const step of ['write', 'advance'] as const) {
    it(`counts a record once that is read again while the first fold is at its ${step}`, async () => {
      const { rebalance, fetched, holdNext, model } = await started();
      await rebalance();
      await fetched(0, 5);
      const held = holdNext(step);
      const first = fetched(5, 10);
      const letGo = await held();
      const from = await rebalance();
      await fetched(from, 15);
      letGo();
      await first;

      expect(await model()).to.deep.equal({ counted: 15, position: 15 });
    });
  }

  it('leaves the next offset to the seek of the rebalance', async () => {
    const { rebalance, fetched, holdNext } = await started();
    await rebalance();
    const held = holdNext('write');
    const first = fetched(0, 10);
    const letGo = await held();
    await rebalance();
    letGo();

    expect(await first).to.equal(null);
  });

  it('counts a record once that was appended twice, over two rebalances', async () => {
    const { rebalance, fetched, holdNext, model } = await started();
    await rebalance();
    await fetched(0, 10);
    const held = holdNext('advance');
    const slow = fetched(10, 15);
    const letGo = await held();
    await rebalance();
    letGo();
    await slow;
    const from = await rebalance();
    await fetched(from, logLength);

    expect(await model()).to.deep.equal({ counted: logLength - 1, position: logLength });
  });
});
