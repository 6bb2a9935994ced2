import { expect } from 'chai';
import type { ConsumerConfig } from 'kafkajs';

import { eventually } from '../../../support/eventually.js';
import { openTestLog, plainRecord } from '../../../support/log.js';
import { createOpened } from '../../../support/opened.js';
import { groupOf } from '../group/member.js';

/** In milliseconds. */
const waitMs = 200;
/** How long a broker holds the fetch of an idle consumer, and so the least that a fetch takes which finds nothing. */
const idleWaitMs = 4 * waitMs;
/** Half a session of the service's consumers. */
const longestMs = 3500;
/** So many fetches make a consumer idle, and then some. */
const enoughFetches = 12;
/** More than comes in these tests. */
const manyBytes = 1024 * 1024;

type Settings = Partial<ConsumerConfig> & { readonly paused?: readonly number[] };

describe('a consumer to which nothing comes', function () {
  this.timeout(60_000);

  const opened = createOpened();
  let slow: ReturnType<typeof consume>;
  // Begun first and asked last: it takes seconds for each fetch.
  before(() => {
    slow = consume({ maxWaitTimeInMs: 1000 });
    slow.catch(() => undefined);
  });
  after(() => opened.releaseAll());

  async function consume({ paused = [], ...settings }: Settings = {}) {
    const log = await openTestLog({ POSTRIDER_PARTITIONS: '2' });
    opened.add('log', log.close);
    const topic = `${log.config.topics.prefix}events`;
    const consumer = log.kafka.consumer({ groupId: groupOf(log), maxWaitTimeInMs: waitMs, ...settings });
    opened.add('consumer', () => consumer.disconnect());
    const fetches: number[] = [];
    const requests: string[] = [];
    const read: string[] = [];
    let underWay = 0;
    consumer.on(consumer.events.FETCH_START, () => {
      underWay += 1;
    });
    consumer.on(consumer.events.FETCH, ({ payload }) => {
      underWay -= 1;
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
    /** So many fetches from the start on: how long each took, in milliseconds. */
    const untilFetched = async (count: number): Promise<readonly number[]> => {
      await eventually('fetches', () => (fetches.length >= count ? true : null));
      return fetches.slice(0, count);
    };
    /** The next fetches that end. */
    const take = async (count: number): Promise<readonly number[]> => {
      const before = fetches.length;
      return (await untilFetched(before + count)).slice(before);
    };
    const untilFetching = () => eventually('a fetch that is under way', () => (underWay > 0 ? true : null));
    const append = async (key: string) => {
      await log.producer.append(plainRecord('events', key));
      await eventually(key, () => (read.includes(key) ? true : null));
    };
    // A topic that was just made moves: what is fetched before it has settled fails at once.
    await append('settled');
    consumer.pause([{ topic, partitions: [...paused] }]);
    fetches.length = 0;
    return { log, topic, consumer, requests, append, take, untilFetched, untilFetching };
  }

  // A fetch may take longer than the broker holds it, as machines are slow, but never less: so some that are short say that all were to be.
  const isShort = (durationMs: number) => durationMs < idleWaitMs;

  it('lets its fetches wait four times as long', async () => {
    const { take } = await consume();
    await take(enoughFetches);

    expect((await take(3)).filter(isShort)).to.deep.equal([]);
  });

  it('fetches as often as it was set before that', async () => {
    const { take } = await consume();

    expect((await take(8)).some(isShort)).to.equal(true);
  });

  it('has the first record that comes at once, whatever it waited for before', async () => {
    const { append, take } = await consume({ minBytes: manyBytes });
    await take(enoughFetches);
    const taken = take(1);
    await append('first');

    expect((await taken).some(isShort)).to.equal(true);
  });

  it('fetches as it was set again once something has come', async () => {
    const { append, take } = await consume();
    await take(enoughFetches);
    await append('first');
    await take(1);

    expect((await take(5)).some(isShort)).to.equal(true);
  });

  it('fetches as often as it was set while a partition is paused, which may be resumed', async () => {
    const { take } = await consume({ paused: [1] });
    await take(enoughFetches);

    expect((await take(5)).some(isShort)).to.equal(true);
  });

  describe('that is stopped', () => {
    const longMs = 8000;

    it('does not wait for its fetch', async () => {
      const { consumer, take, untilFetching } = await consume({ maxWaitTimeInMs: longMs });
      await untilFetching();
      const taken = take(1);
      await consumer.stop();

      expect((await taken).every((durationMs) => durationMs < longMs)).to.equal(true);
    });

    it('does not join its group again where the fetch fails later', async () => {
      const { log, topic, consumer, requests, take, untilFetching } = await consume({
        maxWaitTimeInMs: 1500,
      });
      await take(1);
      await untilFetching();
      await consumer.stop();
      const admin = log.kafka.admin();
      opened.add('admin', () => admin.disconnect());
      await admin.connect();
      requests.length = 0;
      await admin.deleteTopics({ topics: [topic] });
      await eventually('the answer to the fetch', () => (requests.includes('Fetch') ? true : null));
      await admin.listTopics();

      expect(requests).to.not.include.members(['Metadata']);
    });
  });

  it('lets no fetch wait as long as half a session', async () => {
    const { untilFetched } = await slow;
    const fetches = await untilFetched(enoughFetches + 2);

    expect(Math.min(...fetches.slice(enoughFetches))).to.be.below(longestMs);
  });
});
