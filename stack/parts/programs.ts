import { javaPart } from './java.js';
import { kafkaPart } from './kafka.js';
import type { Machine } from '../system/machine.js';
import { mongodPart } from './mongod.js';
import { obtainParts } from './obtainParts.js';
import { redisPart } from './redis.js';

/** All parts of the local stack. */
export function stackParts(machine: Machine) {
  return {
    java: javaPart(machine),
    /** The folder of Kafka's jars. */
    kafkaLibs: kafkaPart(machine),
    mongod: mongodPart(machine),
    redisServer: redisPart(machine),
  };
}

/** The paths of all that the stack runs. */
export type Programs = Readonly<Record<keyof ReturnType<typeof stackParts>, string>>;

/**
 * Finds or fetches every part.
 * @throws StackError that names every part that cannot be obtained
 */
export function obtainPrograms(machine: Machine, onProgress: (line: string) => void): Promise<Programs> {
  return obtainParts(stackParts(machine), { cacheDirectory: machine.cacheDirectory, onProgress });
}
