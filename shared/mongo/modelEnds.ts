import type { TopicOffsets } from '../kafka/topicOffsets.js';
import type { ModelPositions } from './generations.js';
import { modelDefinitions, type ModelName } from './readModels.js';

/** Where the topics of a model end now. */
export async function endsOf(offsets: TopicOffsets, model: ModelName): Promise<ModelPositions> {
  const { topics } = modelDefinitions[model];
  const ends = await Promise.all(
    topics.map(async (topic) => [topic, Object.fromEntries((await offsets.ends(topic)).entries())] as const),
  );
  return Object.fromEntries(ends);
}
