import type { DeliveryIdentity } from '../../consumers/engine/resumeDelivery.js';
import { decodeTakenUp, encodeTakenUp } from '../../shared/log/client/takenUp.js';
import type { CommittedPosition } from '../../shared/log/group/groupConsumer.js';
import type { LogAppender, TogetherAppended } from '../../shared/log/producer/producer.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import type { WorkResult } from '../../shared/log/window/retryingHandler.js';
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
      engine: (engine) => ({ ...engine, ...doneIfInFlight(engine) }),
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
    seed: 31,
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
    fault: 'reports an event as taken up before its webhooks are acknowledged',
    seed: 1,
    variant: { engine: (engine) => ({ ...engine, appendMatched: () => Promise.resolve('done') }) },
  },
  {
    fault: 'commits a taken-up offset above an event whose webhooks are unknown',
    seed: 1,
    variant: {
      consumer: (consumer) => ({
        ...consumer,
        commit: (positions) => consumer.commit(positions.map(withHigherTakenUp)),
      }),
    },
  },
  {
    fault: 'forgets that an earlier owner has taken up an event',
    seed: 1,
    variant: { positions: (positions) => positions.map((one) => ({ ...one, takenUp: null })) },
  },
  {
    fault: 'does not read the failed outcomes of processes that have died',
    seed: 61,
    variant: {
      engine: (engine) => ({ ...engine, inFlight: { ...engine.inFlight, hasDone: () => true } }),
    },
  },
  {
    fault: 'does not read the records that park deliveries',
    seed: 1,
    variant: {
      engine: (engine) => ({ ...engine, release: { ...engine.release, parked: () => undefined } }),
    },
  },
  {
    fault: 'does not release the deliveries that were parked before its assignment',
    seed: 1,
    variant: {
      engine: (engine) => ({ ...engine, release: { ...engine.release, assign: () => undefined } }),
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
        const findInAllAccounts: typeof models.webhooks.findInAllAccounts = (ids) =>
          once(ids, () => models.webhooks.findInAllAccounts(ids));
        return { ...models, webhooks: { ...models.webhooks, findAll, findInAllAccounts } };
      },
    },
  },
];

type Engine = Parameters<NonNullable<Variant['engine']>>[0];

/** The two ways to an attempt: from a matching webhook, and from the deliveries of an event in the log. */
function doneIfInFlight(engine: Engine): Pick<Engine, 'deliver' | 'resumeDelivery'> {
  const inFlight = new Set<string>();
  const unlessInFlight = async (name: string, work: () => Promise<WorkResult>) => {
    if (inFlight.has(name)) {
      return 'done';
    }
    inFlight.add(name);
    try {
      return await work();
    } finally {
      inFlight.delete(name);
    }
  };
  return {
    deliver: (job, origin, signal) => unlessInFlight(nameOf(job), () => engine.deliver(job, origin, signal)),
    resumeDelivery: (input, signal) =>
      unlessInFlight(nameOf(input.identity), () => engine.resumeDelivery(input, signal)),
  };
}

function nameOf({ eventId, webhookId, cycle }: DeliveryIdentity): string {
  return [eventId, webhookId, cycle].join('/');
}

function withHigherTakenUp(position: CommittedPosition): CommittedPosition {
  const takenUp = decodeTakenUp(position.metadata ?? null);
  return takenUp === null
    ? position
    : { ...position, metadata: encodeTakenUp({ ...takenUp, offset: takenUp.offset + 1 }) };
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
