import { expect } from 'chai';

import { createGroupOffsets } from '../../../../shared/log/client/groupOffsets.js';
import { createDeadLetters } from '../../../../shared/log/deadLetters/deadLetters.js';
import { createGroupConsumer } from '../../../../shared/log/group/groupConsumer.js';
import {
  createWindowedConsumer,
  type WindowedConsumer,
  type WindowedConsumerSettings,
} from '../../../../shared/log/window/windowedConsumer.js';
import { createMetrics } from '../../../../shared/runtime/metrics.js';
import { partitionOf } from '../../../../shared/log/topics/partition.js';
import type { WorkResult } from '../../../../shared/log/window/retryingHandler.js';
import type { RawRecord } from '../../../../shared/log/encoding/record.js';
import { eventually } from '../../../support/eventually.js';
import { openTestLog, plainRecord, type TestLog } from '../../../support/log.js';
import { boundsOf } from './bounds.js';

const groupId = 'windowed';

/** A record that is unfinished until its partition is lost. */
function untilLost(signal: AbortSignal): Promise<WorkResult> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve('abandoned'), { once: true });
  });
}

describe('the windowed consumer', () => {
  let log: TestLog;
  let consumers: WindowedConsumer[];

  beforeEach(async () => {
    log = await openTestLog({ POSTRIDER_PARTITIONS: '2' }, ['events']);
    consumers = [];
  });

  afterEach(async () => {
    await Promise.all(consumers.map((consumer) => consumer.stop(1000)));
    await log.close();
  });

  /** A member of the group with the settings of the test. */
  const start = async (
    settings: Pick<WindowedConsumerSettings, 'handle'> & Partial<WindowedConsumerSettings>,
  ) => {
    const { prefix } = log.config.topics;
    const producer = log.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    const consumer = createWindowedConsumer(
      {
        consumer: createGroupConsumer(log.kafka, log.logger, {
          groupId: prefix + groupId,
          topics: ['events'],
          prefix,
          maximumWaitMs: 100,
        }),
        deadLetters: createDeadLetters({
          producer,
          prefix,
          group: groupId,
          clock: () => new Date(),
          logger: log.logger,
          metrics: createMetrics(),
        }),
        logger: log.logger,
      },
      {
        bounds: boundsOf(100),
        commitIntervalMs: 50,
        onAssigned: () => undefined,
        ...settings,
      },
    );
    const stop = async (deadlineMs: number) => {
      await consumer.stop(deadlineMs);
      await producer.disconnect();
    };
    const tracked = { ...consumer, stop };
    consumers.push(tracked);
    await consumer.start(() => undefined);
    return tracked;
  };

  const append = async (keys: readonly string[]) =>
    Promise.all(keys.map((key) => log.producer.append(plainRecord('events', key))));

  const committed = async (partition: number) => {
    const { prefix } = log.config.topics;
    const [offsets] = await log.admin.fetchOffsets({
      groupId: prefix + groupId,
      topics: [`${prefix}events`],
    });
    return Number(offsets?.partitions.find((entry) => entry.partition === partition)?.offset ?? -1);
  };

  /** The taken-up offset that the group has committed for a partition. */
  const takenUpOf = async ({ partition }: { readonly partition: number }) => {
    const { prefix } = log.config.topics;
    const positions = await createGroupOffsets(log.admin, prefix).positions(prefix + groupId, 'events');
    return positions[partition]?.takenUp ?? null;
  };

  it('commits the offset below which all records are known, above an unfinished record', async () => {
    const [first, second] = await append(['same', 'same', 'same']);
    const partition = first?.partition ?? 0;
    let unblock: () => void = () => undefined;
    const blocked = new Promise<void>((resolve) => {
      unblock = resolve;
    });
    const timestamps: number[] = [];
    await start({
      readTakenUp: takenUpOf,
      handle: async ({ offset, timestamp }, _signal, { know }) => {
        timestamps.push(timestamp);
        if (offset === first?.offset) {
          know();
        }
        await (offset === second?.offset ? null : blocked);
        return 'done';
      },
    });
    await eventually('the taken-up offset', async () =>
      (await takenUpOf({ partition }))?.offset === 2 ? true : null,
    );
    const whileBlocked = [await committed(partition), (await takenUpOf({ partition }))?.at];
    unblock();
    await eventually('the last commit', async () => ((await committed(partition)) === 3 ? true : null));
    expect([whileBlocked, (await takenUpOf({ partition }))?.offset]).to.deep.equal([[0, timestamps[1]], 3]);
  });

  it('reads the taken-up offset of an earlier owner, and commits no lower one', async () => {
    const [first] = await append(['same', 'same', 'same']);
    const partition = first?.partition ?? 0;
    const know: (() => void)[] = [];
    const earlier = await start({
      readTakenUp: takenUpOf,
      handle: (record, signal, admitted) => {
        know.push(admitted.know);
        return record.offset === 1 ? Promise.resolve('done') : untilLost(signal);
      },
    });
    await eventually('three records', () => (know.length === 3 ? true : null));
    know[0]?.();
    await eventually('the taken-up offset', async () =>
      (await takenUpOf({ partition }))?.offset === 2 ? true : null,
    );
    await earlier.stop(1000);
    const handled: [number, boolean][] = [];
    await start({
      readTakenUp: takenUpOf,
      handle: ({ offset }, signal, { wasTakenUp }) => {
        handled.push([offset, wasTakenUp]);
        return offset === 0 ? Promise.resolve('done') : untilLost(signal);
      },
    });
    await eventually('a commit', async () => ((await committed(partition)) === 1 ? true : null));
    expect([handled, (await takenUpOf({ partition }))?.offset]).to.deep.equal([
      [
        [0, true],
        [1, true],
        [2, false],
      ],
      2,
    ]);
  });

  it('handles a record once it is admitted, and commits no waiting record', async () => {
    const [first] = await append(['same', 'same']);
    const partition = first?.partition ?? 0;
    const waiting: (() => void)[] = [];
    const handled: number[] = [];
    await start({
      admission: {
        enter: (record, begin) => {
          if (record.offset === 0) {
            waiting.push(() => {
              begin(true);
            });
          } else {
            begin(false);
          }
        },
        leave: () => undefined,
      },
      handle: ({ offset }) => {
        handled.push(offset);
        return Promise.resolve('done');
      },
    });
    await eventually('the record that is admitted', () => (handled.length > 0 ? handled : null));
    const whileWaiting = [...handled, await committed(partition)];
    waiting.forEach((begin) => {
      begin();
    });
    await eventually('a commit of both', async () => ((await committed(partition)) === 2 ? true : null));
    expect({ whileWaiting, handled }).to.deep.equal({ whileWaiting: [1, 0], handled: [1, 0] });
  });

  it('skips records that its filter drops, and commits their offsets', async () => {
    const [first] = await append(['same', 'same', 'same']);
    const partition = first?.partition ?? 0;
    const handled: number[] = [];
    await start({
      filter: ({ offset }) => offset === 1,
      handle: ({ offset }) => {
        handled.push(offset);
        return Promise.resolve('done');
      },
    });
    await eventually('a commit of all', async () => ((await committed(partition)) === 3 ? handled : null));
    expect(handled).to.deep.equal([1]);
  });

  it('commits the offset of a record that its filter drops even if the next record is delayed', async () => {
    const [first] = await append(['same', 'same']);
    const partition = first?.partition ?? 0;
    const handled: number[] = [];
    await start({
      filter: ({ offset }) => offset === 1,
      holdMs: () => 3_600_000,
      handle: ({ offset }) => {
        handled.push(offset);
        return Promise.resolve('done');
      },
    });
    await eventually('a commit of the first', async () =>
      (await committed(partition)) === 1 ? handled : null,
    );
    expect(handled).to.deep.equal([]);
  });

  it('passes headers unchanged, whether they are text or other bytes', async () => {
    const headers = { plain: 'text', foreign: 'Grüße', none: '', ['__proto__']: 'a name like any other' };
    await log.producer.append({ ...plainRecord('events', 'same'), headers });
    const handled = await new Promise<RawRecord>((resolve) => {
      void start({
        handle: (record) => {
          resolve(record);
          return Promise.resolve('done');
        },
      });
    });
    expect(
      Object.entries(handled.headers).map(([name, value]) => [name, Buffer.from(String(value)).toString()]),
    ).to.deep.equal(Object.entries(headers));
  });

  it('lets the next member repeat all records from the lowest unfinished one on', async () => {
    await append(['same', 'same', 'same']);
    const stuck = await start({
      handle: async ({ offset }, signal) => {
        if (offset === 1) {
          await new Promise((resolve) => {
            signal.addEventListener('abort', resolve);
          });
          return 'abandoned';
        }
        return 'done';
      },
    });
    await eventually('one unfinished record', () => (stuck.unfinished() === 1 ? true : null));
    consumers.splice(consumers.indexOf(stuck), 1);
    await stuck.stop(1000);
    const seen: number[] = [];
    await start({
      handle: ({ offset }) => {
        seen.push(offset);
        return Promise.resolve('done');
      },
    });
    await eventually('two records', () => (seen.length >= 2 ? seen : null));
    expect(seen).to.deep.equal([1, 2]);
  });

  it('hands over its partitions when it stops, and finishes its records in progress afterwards', async () => {
    await append(['same']);
    const release = new AbortController();
    let isFinished = false;
    const stopped = await start({
      handle: async () => {
        await new Promise((resolve) => {
          release.signal.addEventListener('abort', resolve);
        });
        isFinished = true;
        return 'done';
      },
    });
    await eventually('one unfinished record', () => (stopped.unfinished() === 1 ? true : null));
    consumers.splice(consumers.indexOf(stopped), 1);
    const stopping = stopped.stop(60_000);
    const seen: number[] = [];
    await start({
      handle: ({ offset }) => {
        seen.push(offset);
        return Promise.resolve('done');
      },
    });
    await eventually('the record at the next owner', () => (seen.length > 0 ? true : null));
    const whileHanging = isFinished;
    release.abort();
    await stopping;
    expect([whileHanging, isFinished, seen]).to.deep.equal([false, true, [0]]);
  });

  it('pauses a partition whose window is full, and no other', async () => {
    const [slow] = await append(Array<string>(50).fill('slow'));
    const otherKey = keyOfAnotherPartition(slow?.partition ?? 0);
    const inProgress = new Set<number>();
    const others: number[] = [];
    await start({
      bounds: boundsOf(5),
      handle: async ({ partition, offset }, signal) => {
        if (partition === slow?.partition) {
          inProgress.add(offset);
          await new Promise((resolve) => {
            signal.addEventListener('abort', resolve);
          });
          return 'abandoned';
        }
        others.push(offset);
        return 'done';
      },
    });
    await eventually('a full window', () => (inProgress.size === 5 ? true : null));
    await append(Array<string>(50).fill(otherKey));
    await eventually('the records of the other partition', () => (others.length >= 50 ? true : null));
    expect(inProgress.size).to.equal(5);
  });

  it('continues with a partition once its window has room again', async () => {
    await append(Array<string>(50).fill('same'));
    const seen: number[] = [];
    await start({
      bounds: boundsOf(5),
      handle: ({ offset }) => {
        seen.push(offset);
        return new Promise((resolve) => setImmediate(resolve, 'done'));
      },
    });
    await eventually('all fifty records', () => (seen.length >= 50 ? true : null));
    expect(seen).to.deep.equal([...Array(50).keys()]);
  });

  it('keeps only the records in progress of a fetch in memory', async () => {
    const large = 'x'.repeat(50_000);
    await Promise.all(
      Array.from({ length: 15 }, () =>
        log.producer.append({ ...plainRecord('events', 'same', large), headers: { foreign: 'Grüße' } }),
      ),
    );
    const held: number[] = [];
    await start({
      handle: ({ key, value, headers }) => {
        const parts = [key, value, headers['foreign']].filter((part) => Buffer.isBuffer(part));
        held.push(...parts.map(({ buffer }) => buffer.byteLength));
        return Promise.resolve('done');
      },
    });
    await eventually('all records', () => (held.length === 3 * 15 ? held : null));
    expect(Math.max(...held)).to.equal(large.length);
  });
});

function keyOfAnotherPartition(partition: number): string {
  const keys = Array.from({ length: 100 }, (_, index) => `other-${index}`);
  return keys.find((key) => partitionOf(key, 2) !== partition) ?? '';
}
