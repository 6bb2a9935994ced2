import { expect } from 'chai';

import { createFairSemaphore } from '../../../../shared/concurrency/fairSemaphore.js';
import { UnavailableError } from '../../../../shared/core/errors.js';
import { createBoundaryIds } from '../../../../shared/log/client/boundaryIds.js';
import { createTopicOffsets } from '../../../../shared/log/client/topicOffsets.js';
import { eventually } from '../../../support/eventually.js';
import { createOpened } from '../../../support/opened.js';
import { openTestLog, type TestLog } from '../../../support/log.js';

const partitions = 5;
const owner = 'acct_1';
const semaphore = createFairSemaphore({ slots: 2, overload: 'too many', retryAfterSeconds: 1 });

describe('the boundary ids of offsets', () => {
  const opened = createOpened();
  let log: TestLog;
  let topic: string;

  beforeEach(async () => {
    log = await openTestLog({ POSTRIDER_PARTITIONS: String(partitions) });
    topic = `${log.config.topics.prefix}events`;
    await eventually('leaders of all partitions', () =>
      offsets()
        .ends('events')
        .catch(() => null),
    );
  });

  afterEach(() => opened.releaseAll());

  const append = (partition: number, id: string | null) =>
    log.producer.append({
      ...{ topic: 'events', key: 'key', partition, value: Buffer.from('{}') },
      headers: id === null ? {} : { ce_id: id },
    });

  const offsets = () => createTopicOffsets(log.admin, log.config.topics.prefix);

  const reader = () => {
    const { prefix } = log.config.topics;
    return createBoundaryIds({ kafka: log.kafka, prefix, offsets: offsets(), semaphore });
  };

  const idsAtEnd = async () => reader()(owner, 'events', await offsets().ends('events'));

  /** Appends records to partition 0 in a transaction. */
  const transact = async (end: 'commit' | 'abort' | null, ...ids: readonly string[]) => {
    const producer = log.kafka.producer({ transactionalId: topic, idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    opened.add('producer', () => producer.disconnect());
    const transaction = await producer.transaction();
    for (const id of ids) {
      await transaction.send({ topic, messages: [{ value: '{}', partition: 0, headers: { ce_id: id } }] });
    }
    if (end !== null) {
      await transaction[end]();
    }
    return transaction;
  };

  it('are the ids of the last records of all partitions, and null for a partition without a record', async () => {
    for (const [partition, id] of [
      [0, 'a'],
      [0, 'b'],
      [1, 'c'],
      [3, 'd'],
      [4, 'e'],
    ] as const) {
      await append(partition, id);
    }
    expect(await idsAtEnd()).to.deep.equal(['b', 'c', null, 'd', 'e']);
  });

  it('are all null, without a connection, if the topic has no record', async () => {
    expect(await idsAtEnd()).to.deep.equal([null, null, null, null, null]);
  });

  it('belong to the given offsets, not to the end of the log', async () => {
    await Promise.all(['a', 'b', 'c'].map((id) => append(0, id)));
    expect(await reader()(owner, 'events', [2, 0, 0, 0, 0])).to.deep.equal(['b', null, null, null, null]);
  });

  it('are null if the records below an offset were deleted', async () => {
    await append(0, 'a');
    await append(1, 'b');
    await log.admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '1' }] });
    expect(await idsAtEnd()).to.deep.equal([null, 'b', null, null, null]);
  });

  it('skip records without an id', async () => {
    await append(0, 'a');
    await append(0, null);
    await append(0, null);
    await append(1, null);
    expect(await idsAtEnd()).to.deep.equal(['a', null, null, null, null]);
  });

  it('skip the markers of transactions and the records of an aborted one', async () => {
    await transact('commit', 'a', 'b');
    await transact('abort', 'c', 'd', 'e', 'f');
    expect((await idsAtEnd())[0]).to.equal('b');
  });

  it('skip the records of a transaction that has not ended', async () => {
    await append(0, 'a');
    const open = await transact(null, 'b', 'c');
    const [id] = await idsAtEnd();
    await open.abort();
    expect(id).to.equal('a');
  });

  it('leave no connection open, however many are read at once', async () => {
    await Promise.all(
      Array.from({ length: partitions }, (_, partition) => append(partition, `id ${partition}`)),
    );
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    await idsAtEnd();
    const before = sockets();
    const found = await Promise.all(Array.from({ length: 8 }, idsAtEnd));
    expect(new Set(found.map(String)).size).to.equal(1);
    // A socket still counts until its last event.
    await eventually('the end of all other connections', () => (sockets() <= before ? true : null));
  });

  it('are not known if the brokers do not answer', async () => {
    await append(0, 'a');
    const kafka = log.kafka;
    const failing = createBoundaryIds({
      ...{ kafka, prefix: log.config.topics.prefix, semaphore },
      offsets: { beginnings: () => Promise.reject(new UnavailableError('Kafka does not respond')) },
    });
    const error: unknown = await failing(owner, 'events', [1, 0, 0, 0, 0]).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(UnavailableError);
  });
});
