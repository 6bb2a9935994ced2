import type { Kafka } from '../log/client/client.js';
import {
  createOffsetTimestamps,
  nameOfRecordOffset,
  type RecordOffset,
} from '../log/client/offsetTimestamps.js';
import type { TopicBounds } from '../log/client/topicOffsets.js';
import { fullTopicName, type TopicName } from '../log/topics/names.js';
import type { DocumentsBefore } from '../store/generations/countDocumentsBefore.js';
import type { MetaDocument, ModelPositions } from '../store/models/generations.js';
import { modelDefinitions, type ModelName } from '../store/models/modelDefinitions.js';

/** The documents that a read model loses if it is built from the log. */
export interface ModelLoss {
  readonly model: ModelName;
  /** How many deleted records the live generation has read. */
  readonly records: number;
  /** The time before which the lost records were appended. */
  readonly before: Date;
  /** The number of live documents that may come from lost records. */
  readonly documents: number;
  readonly allDocuments: number;
}

/** The live generation that a new generation would replace. */
export type ReplacedGeneration = Pick<MetaDocument, 'skipped'> & { readonly name: string };

export interface ModelLosses {
  /**
   * Computes the loss if a generation with skipped records replaces the live generation.
   * @param skipped the number of records that the new generation skips, by topic and partition
   * @returns null if the read model loses nothing, because the live generation has read no deleted record, or because
   *   their documents have expired
   * @throws UnavailableError if the brokers or MongoDB do not answer
   */
  of: (model: ModelName, live: ReplacedGeneration, skipped: ModelPositions) => Promise<ModelLoss | null>;
  /** Computes the loss if a generation that is built from the current log replaces the live generation. */
  ofRebuild: (model: ModelName, live: ReplacedGeneration) => Promise<ModelLoss | null>;
}

export interface ModelLossesDependencies {
  readonly kafka: Kafka;
  readonly offsets: TopicBounds;
  readonly documents: DocumentsBefore;
  /** The prefix of the topics' names. */
  readonly prefix: string;
}

interface LostPartition {
  readonly topic: TopicName;
  readonly partition: number;
  readonly records: number;
}

export function createModelLosses(dependencies: ModelLossesDependencies): ModelLosses {
  const { kafka, offsets, documents, prefix } = dependencies;

  /**
   * A time before which all deleted records were appended: the latest append time among the first remaining records of
   * the partitions.
   */
  const endOfDeleted = async (lost: readonly LostPartition[]): Promise<Date> => {
    const topics = [...new Set(lost.map(({ topic }) => topic))];
    const bounds = new Map(
      await Promise.all(
        topics.map(async (topic) => {
          const [beginnings, ends] = [await offsets.beginnings(topic), await offsets.ends(topic)];
          return [topic, { beginnings, ends }] as const;
        }),
      ),
    );
    const places = lost.map(({ topic, partition }): RecordOffset => {
      const offset = bounds.get(topic)?.beginnings[partition] ?? 0;
      return { topic: fullTopicName(prefix, topic), partition, offset };
    });
    const isEmpty = ({ topic, partition }: LostPartition) =>
      bounds.get(topic)?.beginnings[partition] === bounds.get(topic)?.ends[partition];
    // A partition without records has no append time, so the current time is the limit.
    if (lost.some(isEmpty)) {
      return new Date();
    }
    const times = await createOffsetTimestamps(kafka, prefix)(places);
    return new Date(Math.max(...places.map((place) => times.get(nameOfRecordOffset(place)) ?? Date.now())));
  };

  const of: ModelLosses['of'] = async (model, live, skipped) => {
    const lost = lostPartitions(live.skipped, skipped);
    if (lost.length === 0) {
      return null;
    }
    const before = await endOfDeleted(lost);
    const counted = await documents.count(model, live.name, before);
    const records = lost.reduce((sum, one) => sum + one.records, 0);
    return counted.documents === 0 ? null : { model, records, before, ...counted };
  };

  return {
    of,
    ofRebuild: async (model, live) => {
      const begun = await Promise.all(
        modelDefinitions[model].topics.map(
          async (topic) => [topic, Object.fromEntries((await offsets.beginnings(topic)).entries())] as const,
        ),
      );
      return of(model, live, Object.fromEntries(begun));
    },
  };
}

/** The partitions in which the new generation skips records that the live generation has read. */
export function lostPartitions(
  live: ModelPositions = {},
  skipped: ModelPositions = {},
): readonly LostPartition[] {
  const readBefore = new Map(Object.entries(live));
  return modelTopics.flatMap((topic) =>
    Object.entries(skipped[topic] ?? {})
      .map(([partition, count]) => ({
        topic,
        partition: Number(partition),
        records: count - (readBefore.get(topic)?.[partition] ?? 0),
      }))
      .filter(({ records }) => records > 0),
  );
}

const modelTopics: readonly TopicName[] = [
  ...new Set(Object.values(modelDefinitions).flatMap(({ topics }) => topics)),
];
