import { createGroups } from '../../consumers/groups.js';
import { createDeliveryEngine, type DeliveryEngine } from '../../consumers/deliveryEngine.js';
import { createIdentifiers, type Identifiers } from '../../shared/domain/core/identifiers.js';
import type { GroupPosition } from '../../shared/log/client/groupOffsets.js';
import type { GroupConsumer } from '../../shared/log/group/groupConsumer.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { createTopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { Logger } from '../../shared/core/logger.js';
import { createMetrics } from '../../shared/runtime/metrics.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import type { HttpAttempt } from '../../consumers/http/httpAttempt.js';
import { encryptionKeys } from './resources.js';
import type { SimulatedModels } from './simulatedModels.js';
import type { SimulatedLog } from './simulatedLog.js';
import type { Steps } from './steps.js';

/** Replaced parts of a process, to test that the promises notice their faults. */
export interface Replacements {
  readonly engine?: (engine: DeliveryEngine) => DeliveryEngine;
  readonly log?: (log: LogAppender) => LogAppender;
  readonly consumer?: (consumer: GroupConsumer) => GroupConsumer;
  readonly models?: (models: ReadModels) => ReadModels;
  readonly attempt?: (attempt: HttpAttempt['attempt']) => HttpAttempt['attempt'];
  readonly positions?: (positions: readonly GroupPosition[]) => readonly GroupPosition[];
}

export interface DeliveryProcessContext {
  /** The most attempts in flight to one webhook. */
  readonly webhookConcurrency: number;
  readonly owner: string;
  readonly topics: SimulatedLog;
  readonly steps: Steps;
  readonly models: SimulatedModels;
  readonly appender: LogAppender;
  readonly attempt: HttpAttempt['attempt'];
  readonly random: () => number;
  /** What the coordinator knows of the group of first attempts. */
  readonly positions: () => readonly GroupPosition[];
  /** The consumer of a group, or null if the schedules do not use the group. */
  readonly createMember: (groupId: string) => GroupConsumer;
  /** Whether the next identifier cannot be created. */
  readonly throwsNext: () => boolean;
  readonly isBroken: (promise: string) => void;
  readonly replaced: Replacements;
}

/** Two more attempts, the second one after a hop from one tier to another. */
const retryScheduleMs = [500, 6500];

const configOf = (webhookConcurrency: number) => ({
  delivery: {
    webhookConcurrency,
    retryScheduleMs,
    attemptTimeoutMs: 15_000,
    attemptSlots: 1000,
    failingAfterMs: 24 * 60 * 60 * 1000,
  },
  encryptionKeys,
});

const silent: Logger = {
  ...{ fatal: ignore, error: ignore, warn: ignore, info: ignore, debug: ignore },
  child: () => silent,
};

/** One for all schedules: nothing reads it, and it remembers no process. */
const metrics = { ...createMetrics(), onScrape: () => ignore };

const clock = () => new Date(Date.now());

/** Wires a process of the role as its main module does, without the sweep and the replays. */
export function startDeliveryProcess(context: DeliveryProcessContext): void {
  const { owner, models, appender, random, createMember, isBroken, replaced } = context;
  const parts = { ...unreplaced, ...replaced };
  const config = configOf(context.webhookConcurrency);
  const log = parts.log(appender);
  const offsets = createTopicOffsets({ fetchTopicOffsets: offsetsOf(context) }, '');
  const engine = createDeliveryEngine({
    processClocks: {
      now: () => performance.now(),
      idleMs: () => performance.eventLoopUtilization().idle,
    },
    ...{ config, log, random, clock, metrics },
    attempt: parts.attempt(context.attempt),
    post: () => Promise.reject(new Error('no webhook has a token server here')),
    connections: {
      offsets,
      progress: models.progress,
      models: parts.models(models.models),
    },
    commandRunner: { run: () => Promise.reject(new Error('no webhook is disabled by its failures here')) },
    closing: new AbortController().signal,
    identifiers: identifiersOf(context),
    logger: silent,
  });
  const groups = createGroups({
    ...{ prefix: '', webhookConcurrency: config.delivery.webhookConcurrency, clock, metrics, logger: silent },
    connections: {
      offsets,
      groups: { positions: () => answer(context, () => parts.positions(context.positions())) },
    },
    createMember: ({ groupId }) => parts.consumer(createMember(groupId)),
    engine: parts.engine(engine),
    createHandleReplay: () => () => Promise.reject(new Error('there are no replays here')),
    maintenance: { onAssigned: ignore, start: ignore, stop: () => Promise.resolve() },
    retentionRecovery: () => Promise.resolve(null),
    deadLettersOf: () => ({
      append: (_record, reason) => {
        isBroken(`a record went to the dead letters: ${reason}`);
        return Promise.resolve();
      },
    }),
  });
  for (const group of groups.filter(({ name }) => name !== 'replays')) {
    void group.start((error) => isBroken(`${owner} has ended: ${error.message}`));
  }
}

function same<Part>(part: Part): Part {
  return part;
}

/** A variant replaces some parts. */
const unreplaced: Required<DeliveryProcessContext['replaced']> = {
  ...{ log: same, attempt: same, models: same, consumer: same, engine: same, positions: same },
};

function ignore(): void {
  return undefined;
}

function offsetsOf(context: DeliveryProcessContext) {
  return (topic: string) =>
    answer(context, () => {
      const ends = context.topics.ends(topic as TopicName).map(String);
      return ends.map((high, partition) => ({ partition, offset: high, high, low: '0' }));
    });
}

/** An answer of Kafka, which is computed at its step. */
function answer<Answer>({ owner, steps }: DeliveryProcessContext, compute: () => Answer): Promise<Answer> {
  return new Promise((resolve) => {
    steps.add({
      kind: 'answer',
      owner,
      run: () => {
        resolve(compute());
      },
    });
  });
}

function identifiersOf({ random, throwsNext }: DeliveryProcessContext): Identifiers {
  const identifiers = createIdentifiers(random);
  return {
    ...identifiers,
    createRecordId: (at) => {
      if (throwsNext()) {
        throw new Error('a module throws');
      }
      return identifiers.createRecordId(at);
    },
  };
}
