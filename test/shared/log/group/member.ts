import type { Config } from '../../../../shared/settings/config.js';
import type { DeadLetters } from '../../../../shared/log/deadLetters/deadLetters.js';
import {
  createGroupConsumer,
  type GroupConsumer,
  type GroupConsumerHandlers,
} from '../../../../shared/log/group/groupConsumer.js';
import type { GroupConsumerSettings } from '../../../../shared/log/group/kafkajsConsumer.js';
import type { TopicPartition } from '../../../../shared/log/client/topicPartition.js';
import {
  createWindowedConsumer,
  type WindowedConsumer,
  type WindowedConsumerSettings,
} from '../../../../shared/log/window/windowedConsumer.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';
import type { TestLog } from '../../../support/log.js';
import { boundsOf } from '../window/bounds.js';

export type MemberSettings = Pick<WindowedConsumerSettings, 'handle'> &
  Partial<WindowedConsumerSettings> & {
    readonly group?: Partial<GroupConsumerSettings>;
    readonly deadLetters?: DeadLetters;
    readonly onLost?: (error: Error) => void;
  };

type MemberLog = { readonly config: Pick<Config, 'topics'> } & Pick<TestLog, 'kafka' | 'logger'>;

/** A member of the group that reads the events of a test's log. */
export interface Member extends WindowedConsumer {
  /** The assigned partitions, for each time that the member has joined the group. */
  readonly assignments: readonly (readonly TopicPartition[])[];
  /** The errors that have ended the member. */
  readonly losses: readonly Error[];
}

const noDeadLetters: DeadLetters = {
  append: (_record, reason) => Promise.reject(new Error(`no record should become a dead letter: ${reason}`)),
};

export function groupOf({ config }: { readonly config: Pick<Config, 'topics'> }): string {
  return `${config.topics.prefix}group`;
}

/** A consumer in the group of a test's log. */
export function createTestConsumer(log: MemberLog, settings?: Partial<GroupConsumerSettings>): GroupConsumer {
  return createGroupConsumer(log.kafka, log.logger, {
    groupId: groupOf(log),
    topics: ['events'],
    prefix: log.config.topics.prefix,
    maximumWaitMs: 100,
    ...settings,
  });
}

/** Starts a consumer until the end of the test file. It takes every batch, unless a handler does something else. */
export async function startTestConsumer(
  consumer: GroupConsumer,
  handlers: Partial<GroupConsumerHandlers>,
): Promise<void> {
  closeAtEndOfFile(consumer.stop);
  await consumer.start({
    onAssignment: () => undefined,
    onRebalancing: () => Promise.resolve(),
    onBatch: (_partition, { end }) => Promise.resolve(end),
    onLost: (error) => {
      throw error;
    },
    ...handlers,
  });
}

export async function startMember(
  log: MemberLog,
  { group, deadLetters = noDeadLetters, onLost, ...settings }: MemberSettings,
): Promise<Member> {
  const assignments: (readonly TopicPartition[])[] = [];
  const losses: Error[] = [];
  const consumer = createTestConsumer(log, group);
  const member = createWindowedConsumer(
    { consumer: recordingAssignments(consumer, assignments), deadLetters, logger: log.logger },
    {
      bounds: boundsOf(100),
      commitIntervalMs: 50,
      onAssigned: () => undefined,
      ...settings,
    },
  );
  await member.start((error) => {
    losses.push(error);
    onLost?.(error);
  });
  return { ...member, assignments, losses };
}

function recordingAssignments(
  consumer: GroupConsumer,
  assignments: (readonly TopicPartition[])[],
): GroupConsumer {
  return {
    ...consumer,
    start: (handlers) =>
      consumer.start({
        ...handlers,
        onAssignment: (assigned) => {
          assignments.push(assigned);
          handlers.onAssignment(assigned);
        },
      }),
  };
}

/** The committed offset of each partition of `events`, by its number; 0 if there is none. */
export async function committedOffsets(log: Pick<TestLog, 'config' | 'admin'>): Promise<readonly number[]> {
  const topic = `${log.config.topics.prefix}events`;
  const [found] = await log.admin.fetchOffsets({ groupId: groupOf(log), topics: [topic] });
  const offsets: number[] = [];
  for (const { partition, offset } of found?.partitions ?? []) {
    offsets[partition] = Math.max(0, Number(offset));
  }
  return offsets;
}

/** The end of each partition of `events`, by its number. */
export async function endOffsets(log: Pick<TestLog, 'config' | 'admin'>): Promise<readonly number[]> {
  const offsets: number[] = [];
  for (const { partition, high } of await log.admin.fetchTopicOffsets(`${log.config.topics.prefix}events`)) {
    offsets[partition] = Number(high);
  }
  return offsets;
}
