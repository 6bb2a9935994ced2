import { attemptKey } from '../../consumers/engine/deliveryJob.js';
import type { LogAppender, TogetherAppended } from '../../shared/log/producer/producer.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import type { Variant } from './world.js';

interface BrokenPart {
  readonly fault: string;
  /** One with which the fault is found soon. */
  readonly seed: number;
  readonly variant: Variant;
}

/** Parts of the service, each with one fault. */
export const brokenParts: readonly BrokenPart[] = [
  {
    fault: 'reports a duplicate of work in flight as done',
    seed: 12,
    variant: {
      work: (work) => ({ ...work, deliver: doneIfInFlight(work.deliver) }),
    },
  },
  {
    fault: 'reports a record as done before its outcome is acknowledged',
    seed: 1,
    variant: {
      log: (log) => acknowledgedEarly(log, (topic) => topic === 'deliveries'),
    },
  },
  {
    fault: 'reports a record as done before its retry record is acknowledged',
    seed: 6,
    variant: {
      log: (log) => acknowledgedEarly(log, (topic) => topic.startsWith('deliveries.retry.')),
    },
  },
  {
    fault: 'commits the offset above an unfinished record',
    seed: 1,
    variant: {
      consumer: (consumer) => ({
        ...consumer,
        commit: (positions) => consumer.commit(positions.map((one) => ({ ...one, offset: one.offset + 1 }))),
      }),
    },
  },
  { fault: 'sends a failed commit again in a later generation', seed: 6, variant: { commits: 'retried' } },
  {
    fault: 'forgets what was recorded of an event before',
    seed: 2,
    variant: {
      work: (work) => ({
        ...work,
        states: { ...work.states, knownOf: () => Promise.resolve({ deliveries: [] }) },
      }),
    },
  },
  {
    fault: 'sends each request twice',
    seed: 1,
    variant: {
      attempt: (attempt) => async (request) => {
        await attempt(request);
        return attempt(request);
      },
    },
  },
  {
    fault: 'uses a state of the webhooks that was read long ago',
    seed: 1,
    variant: {
      models: (models) => {
        const answers = new Map<string, ReturnType<typeof models.webhooks.findAll>>();
        const findAll: typeof models.webhooks.findAll = (filter) => {
          const name = JSON.stringify(filter);
          const answer = answers.get(name) ?? models.webhooks.findAll(filter);
          answers.set(name, answer);
          return answer;
        };
        return { ...models, webhooks: { ...models.webhooks, findAll } };
      },
    },
  },
];

type Deliver = Parameters<NonNullable<Variant['work']>>[0]['deliver'];

function doneIfInFlight(deliver: Deliver): Deliver {
  const inFlight = new Set<string>();
  return async (pair, arrival, signal) => {
    const name = attemptKey(pair);
    if (inFlight.has(name)) {
      return 'done';
    }
    inFlight.add(name);
    try {
      return await deliver(pair, arrival, signal);
    } finally {
      inFlight.delete(name);
    }
  };
}

/** Resolves at once for some topics, with a position that the log may give to another record. */
function acknowledgedEarly(log: LogAppender, isEarly: (topic: TopicName) => boolean): LogAppender {
  const appendTogether = (records: TogetherAppended) => {
    const [{ topic, key }] = records;
    const appended = log.appendTogether(records);
    if (!isEarly(topic)) {
      return appended;
    }
    appended.catch(() => null);
    return Promise.resolve({ topic, partition: partitionOf(key, 1), offset: 0 });
  };
  return { append: (record) => appendTogether([record]), appendTogether };
}
