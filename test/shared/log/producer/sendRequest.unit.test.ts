import { expect } from 'chai';
import type { ProducerBatch, RecordMetadata } from 'kafkajs';

import { createSendRequest } from '../../../../shared/log/producer/sharedRequests.js';

const bundle = (topic: string, partition: number) => ({
  topic,
  partition,
  messages: [{ key: `${topic}/${partition}`, value: 'x', partition }],
  bytes: 1,
});

const answer = (topicName: string, partition: number, baseOffset: string, errorCode = 0): RecordMetadata => ({
  topicName,
  partition,
  errorCode,
  baseOffset,
});

/** Sends three bundles to a client that returns these answers. */
async function sent(answers: RecordMetadata[]) {
  const batches: ProducerBatch[] = [];
  const send = createSendRequest({
    sendBatch: (batch) => {
      batches.push(batch);
      return Promise.resolve(answers);
    },
  });
  const offsets = await send([bundle('events', 0), bundle('deliveries', 1), bundle('events', 2)]);
  return { offsets, batch: batches[0] };
}

const answers = [answer('events', 2, '30'), answer('deliveries', 1, '20'), answer('events', 0, '10')];

describe('a request of several partitions', () => {
  it('requires acknowledgements of all in-sync replicas', async () => {
    expect((await sent(answers)).batch?.acks).to.equal(-1);
  });

  it('names each topic once', async () => {
    const { batch } = await sent(answers);
    const parts = batch?.topicMessages?.map(({ topic, messages }) => [
      topic,
      messages.map(({ partition }) => partition),
    ]);
    expect(parts).to.deep.equal([
      ['events', [0, 2]],
      ['deliveries', [1]],
    ]);
  });

  it('returns the offset of each partition, whatever the order in the answer', async () => {
    expect((await sent(answers)).offsets).to.deep.equal([10, 20, 30]);
  });

  it('does not acknowledge a partition that is missing in the answer', async () => {
    expect((await sent(answers.slice(0, 2))).offsets).to.deep.equal([null, 20, 30]);
  });

  it('does not acknowledge a partition whose answer is an error', async () => {
    const failed = answer('events', 0, '-1', 6);
    expect((await sent([...answers.slice(0, 2), failed])).offsets).to.deep.equal([null, 20, 30]);
  });
});
