import type { TopicOffsets } from '../../log/client/topicOffsets.js';
import type { ModelPositions } from '../models/generations.js';
import { modelDefinitions, type ModelName } from '../models/modelDefinitions.js';

/** The current end offsets of all topics of a read model. */
export async function endOffsetsOf(offsets: TopicOffsets, model: ModelName): Promise<ModelPositions> {
  const { topics } = modelDefinitions[model];
  const ends = await Promise.all(
    topics.map(async (topic) => [topic, Object.fromEntries((await offsets.ends(topic)).entries())] as const),
  );
  return Object.fromEntries(ends);
}
