import { expect } from 'chai';
import type { ConsumerConfig } from 'kafkajs';

import { eventually } from '../../../support/eventually.js';
import { openTestLog, plainRecord } from '../../../support/log.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';
import { groupOf } from '../group/member.js';

/** In milliseconds. */
const waitMs = 200;
/** The wait of the broker before it answers the fetch of an idle consumer: the shortest time of an empty fetch. */
const idleWaitMs = 4 * waitMs;
/** Half a session of the service's consumers. */
const longestMs = 3500;
/** More empty fetches than those after which a consumer is idle. */
const enoughFetches = 12;
/** More than these tests append. */
const manyBytes = 1024 * 1024;

type Settings = Partial<ConsumerConfig> & { readonly paused?: readonly number[] };

describe('an idle consumer', () => {
  let slow: ReturnType<typeof consume>;
  // It starts first and its test is the last one, because each fetch takes seconds.
  before(() => {
    slow = consume({ maxWaitTimeInMs: 1000 });
    slow.catch(() => undefined);
  });

  async function consume({ paused = [], ...settings }: Settings = {}) {
    const log = await openTestLog({ POSTRIDER_PARTITIONS: '2' });
    const topic = `${log.config.topics.prefix}events`;
    const consumer = log.kafka.consumer({ groupId: groupOf(log), maxWaitTimeInMs: waitMs, ...settings });
    closeAtEndOfFile(() => consumer.disconnect());
    const fetches: number[] = [];
    const requests: string[] = [];
    const read: string[] = [];
    let inFlight = 0;
    consumer.on(consumer.events.FETCH_START, () => {
      inFlight += 1;
    });
    consumer.on(consumer.events.FETCH, ({ payload }) => {
      inFlight -= 1;
      fetches.push(payload.duration);
    });
    consumer.on(consumer.events.REQUEST, ({ payload }) => requests.push(payload.apiName));
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      eachMessage: ({ message }) => {
        read.push(String(message.key));
        return Promise.resolve();
      },
    });
    /** The durations of the first fetches, in milliseconds. */
    const untilFetched = async (count: number): Promise<readonly number[]> => {
      await eventually('fetches', () => (fetches.length >= count ? true : null));
      return fetches.slice(0, count);
    };
    /** The durations of the next fetches that end, in milliseconds. */
    const take = async (count: number): Promise<readonly number[]> => {
      const before = fetches.length;
      return (await untilFetched(before + count)).slice(before);
    };
    const untilFetching = () => eventually('a fetch in flight', () => (inFlight > 0 ? true : null));
    const append = async (key: string) => {
      await log.producer.append(plainRecord('events', key));
      await eventually(key, () => (read.includes(key) ? true : null));
    };
    // The leader of a new topic may move, and a fetch would fail at once before that.
    await append('settled');
    consumer.pause([{ topic, partitions: [...paused] }]);
    fetches.length = 0;
    return { log, topic, consumer, requests, append, take, untilFetched, untilFetching };
  }

  // On a slow machine a fetch may take longer than the wait of the broker, but never less. So one short fetch shows
  // that the wait was short for all.
  const isShort = (durationMs: number) => durationMs < idleWaitMs;

  it('waits four times as long with each fetch', async () => {
    const { take } = await consume();
    await take(enoughFetches);

    expect((await take(3)).filter(isShort)).to.deep.equal([]);
  });

  it('fetches at the configured interval before it is idle', async () => {
    const { take } = await consume();

    expect((await take(8)).some(isShort)).to.equal(true);
  });

  it('gets the first record without delay, even if it is configured to wait for many bytes', async () => {
    const { append, take } = await consume({ minBytes: manyBytes });
    await take(enoughFetches);
    const taken = take(1);
    await append('first');

    expect((await taken).some(isShort)).to.equal(true);
  });

  it('fetches at the configured interval again after a record', async () => {
    const { append, take } = await consume();
    await take(enoughFetches);
    await append('first');
    await take(1);

    expect((await take(5)).some(isShort)).to.equal(true);
  });

  it('fetches at the configured interval while a partition is paused, because it may be resumed', async () => {
    const { take } = await consume({ paused: [1] });
    await take(enoughFetches);

    expect((await take(5)).some(isShort)).to.equal(true);
  });

  describe('that is stopped', () => {
    const longMs = 8000;

    it('does not wait for its fetch in flight', async () => {
      const { consumer, take, untilFetching } = await consume({ maxWaitTimeInMs: longMs });
      await untilFetching();
      const taken = take(1);
      await consumer.stop();

      expect((await taken).every((durationMs) => durationMs < longMs)).to.equal(true);
    });

    it('does not join its group again if the fetch fails later', async () => {
      const { log, topic, consumer, requests, take, untilFetching } = await consume({
        maxWaitTimeInMs: 1500,
      });
      await take(1);
      await untilFetching();
      await consumer.stop();
      const admin = log.kafka.admin();
      closeAtEndOfFile(() => admin.disconnect());
      await admin.connect();
      requests.length = 0;
      await admin.deleteTopics({ topics: [topic] });
      await eventually('the answer to the fetch', () => (requests.includes('Fetch') ? true : null));
      await admin.listTopics();

      expect(requests).to.not.include.members(['Metadata']);
    });
  });

  it('waits less than half a session with each fetch', async () => {
    const { untilFetched } = await slow;
    const fetches = await untilFetched(enoughFetches + 2);

    expect(Math.min(...fetches.slice(enoughFetches))).to.be.below(longestMs);
  });
});
