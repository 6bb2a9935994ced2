import { attemptKey } from '../../consumers/engine/deliveryJob.js';
import type { LogAppender, TogetherAppended } from '../../shared/log/producer/producer.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import type { Variant } from './world.js';

interface BrokenPart {
  readonly fault: string;
  /** A seed with which the fault is found soon. */
  readonly seed: number;
  readonly variant: Variant;
}

/** Parts of the service, each with one fault. */
export const brokenParts: readonly BrokenPart[] = [
  {
    fault: 'reports a duplicate of work in flight as done',
    seed: 12,
    variant: {
      engine: (engine) => ({ ...engine, deliver: doneIfInFlight(engine.deliver) }),
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
      engine: (engine) => ({
        ...engine,
        states: { ...engine.states, knownOf: () => Promise.resolve({ deliveries: [] }) },
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
    seed: 4,
    variant: {
      models: (models) => {
        const answers = new Map<string, ReturnType<typeof models.webhooks.findAll>>();
        const once = (query: unknown, read: () => ReturnType<typeof models.webhooks.findAll>) => {
          const name = JSON.stringify(query);
          const answer = answers.get(name) ?? read();
          answers.set(name, answer);
          return answer;
        };
        const findAll: typeof models.webhooks.findAll = (filter) =>
          once(filter, () => models.webhooks.findAll(filter));
        const findByIds: typeof models.webhooks.findByIds = (ids) =>
          once(ids, () => models.webhooks.findByIds(ids));
        return { ...models, webhooks: { ...models.webhooks, findAll, findByIds } };
      },
    },
  },
];

type Deliver = Parameters<NonNullable<Variant['engine']>>[0]['deliver'];

function doneIfInFlight(deliver: Deliver): Deliver {
  const inFlight = new Set<string>();
  return async (job, origin, signal) => {
    const name = attemptKey(job);
    if (inFlight.has(name)) {
      return 'done';
    }
    inFlight.add(name);
    try {
      return await deliver(job, origin, signal);
    } finally {
      inFlight.delete(name);
    }
  };
}

/** A log that resolves at once for some topics, with a position that another record may get. */
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
