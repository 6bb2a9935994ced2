import { expect } from 'chai';
import type { Producer } from 'kafkajs';

import { startService } from '../../../support/service.js';
import { createKafkaClient } from '../../../../shared/log/client/client.js';
import { createOpened } from '../../../support/opened.js';
import { eventually } from '../../../support/eventually.js';
import { openTestLog, type TestLog } from '../../../support/log.js';
import { committedOffsets, endOffsets, startMember } from '../group/member.js';

interface Transaction {
  readonly topic: string;
  readonly values: readonly string[];
  readonly ends: 'commit' | 'abort';
}

/** Writes to partition 0 in one transaction. Its marker takes the next offset after the records. */
async function transact(producer: Producer, { topic, values, ends }: Transaction): Promise<void> {
  const transaction = await producer.transaction();
  await transaction.send({ topic, messages: values.map((value) => ({ value, partition: 0 })) });
  await transaction[ends]();
}

function transactional(kafka: TestLog['kafka'], transactionalId: string): Producer {
  return kafka.producer({ transactionalId, idempotent: true, maxInFlightRequests: 1 });
}

describe('the records of a transaction of another producer', () => {
  const opened = createOpened();
  let log: TestLog;
  let producer: Producer;
  let handled: string[];

  beforeEach(async () => {
    log = await openTestLog({ POSTRIDER_PARTITIONS: '1' });
    producer = transactional(log.kafka, log.config.topics.prefix);
    await producer.connect();
    opened.add('producer', () => producer.disconnect());
    handled = [];
  });

  afterEach(() => opened.releaseAll());

  const write = (ends: Transaction['ends'], ...values: string[]) =>
    transact(producer, { topic: `${log.config.topics.prefix}events`, values, ends });

  const read = async () => {
    const member = await startMember(log, {
      handle: ({ value }) => {
        handled.push(String(value));
        return Promise.resolve('done');
      },
    });
    opened.add('member', () => member.stop(1000));
    return member;
  };

  const whenAtTheEnd = () =>
    eventually('a commit of the end', async () =>
      (await committedOffsets(log)).join() === (await endOffsets(log)).join() ? true : null,
    );

  it('are handled if the transaction is committed, and skipped if it is aborted', async () => {
    await write('commit', 'one', 'two');
    await write('abort', 'three');
    await write('commit', 'four');
    await read();
    await whenAtTheEnd();
    expect(handled).to.deep.equal(['one', 'two', 'four']);
  });

  it('cause no lag if the topic contains only an aborted transaction', async () => {
    await write('abort', 'one');
    await read();
    await whenAtTheEnd();
    expect(handled).to.deep.equal([]);
  });

  it('cause no lag if the last transaction is aborted while a consumer runs', async () => {
    await read();
    await write('commit', 'one');
    await whenAtTheEnd();
    await write('abort', 'two');
    await whenAtTheEnd();
    expect(handled).to.deep.equal(['one']);
  });

  it('delay no command that waits for the end of its topic', async () => {
    const service = await startService({ POSTRIDER_PARTITIONS: '1' });
    const { kafka, topics } = service.config;
    const foreign = transactional(
      createKafkaClient(kafka, { clientId: 'foreign', logger: log.logger }),
      topics.prefix,
    );
    await foreign.connect();
    opened.add('foreign producer', () => foreign.disconnect());
    for (const ends of ['commit', 'abort'] as const) {
      await transact(foreign, { topic: `${topics.prefix}accounts`, values: ['not a record'], ends });
    }
    expect(await service.createAccount()).to.have.property('liveKey');
  });
});
