import { allOf } from '../wait.js';
import { javaPart } from './java.js';
import { kafkaPart } from './kafka.js';
import type { Machine } from './machine.js';
import { mongodPart } from './mongod.js';
import { obtainPart } from './part.js';
import { redisPart } from './redis.js';

/** The paths of all that the stack runs. `kafkaLibs` is the folder of Kafka's jars. */
export interface Programs {
  readonly java: string;
  readonly kafkaLibs: string;
  readonly mongod: string;
  readonly redisServer: string;
}

/**
 * Finds or fetches every part, all at once.
 * @throws StackError that names every part that is missing, not only the first
 */
export async function obtainPrograms(
  machine: Machine,
  onProgress: (line: string) => void,
): Promise<Programs> {
  const options = { cacheDirectory: machine.cacheDirectory, onProgress };
  const [java, kafkaLibs, mongod, redisServer] = await allOf([
    obtainPart(javaPart(machine), options),
    obtainPart(kafkaPart(machine), options),
    obtainPart(mongodPart(machine), options),
    obtainPart(redisPart(machine), options),
  ]);
  return { java, kafkaLibs, mongod, redisServer };
}
