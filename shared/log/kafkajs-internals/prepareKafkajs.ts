import { createRequire } from 'node:module';

import { z } from 'zod';

import { fetchLessWhenIdle } from './idleFetches.js';
import { stopIdleTimers } from './idleTimers.js';
import { patchMembership } from './membership.js';
import { patchOutOfRange } from './outOfRange.js';
import { releaseResponses } from './releaseResponses.js';
import { replaceRecordFormat } from './replaceRecordFormat.js';

/**
 * Applies all patches of kafkajs. `prepareKafkajs` must be called before a Kafka client is created.
 * @throws Error if the installed version of kafkajs is not the version that the patches support
 */
export function prepareKafkajs(): void {
  checkKafkajs();
  stopIdleTimers();
  fetchLessWhenIdle();
  patchMembership();
  patchOutOfRange();
  releaseResponses();
  replaceRecordFormat();
}

/** The version of kafkajs that the patches support. */
export const supportedVersion = '2.2.4';

/** The methods of kafkajs that this program replaces, or calls without a public function, by module. */
const patchedMethods: readonly (readonly [path: string, methods: readonly string[]])[] = [
  ['kafkajs/src/consumer/consumerGroup.js', ['joinAndSync', 'commitOffsets', 'fetch', 'recoverFromFetch']],
  ['kafkajs/src/consumer/batch.js', ['lastOffset']],
  ['kafkajs/src/network/connection.js', ['processData']],
  ['kafkajs/src/consumer/runner.js', ['commitOffsets', 'stop']],
  ['kafkajs/src/consumer/offsetManager/index.js', ['setDefaultOffset', 'clearOffsets', 'committedOffsets']],
  [
    'kafkajs/src/network/requestQueue/index.js',
    ['scheduleCheckPendingRequests', 'scheduleRequestTimeoutCheck', 'destroy'],
  ],
];

const manifest = z.object({ version: z.string() });
const patchedClass = z.custom<{ readonly prototype: object }>((loaded) => typeof loaded === 'function');

/**
 * Verifies that the installed kafkajs is the version that this program patches, and that each patched method exists.
 * @param load the function that loads modules
 * @throws Error with the installed version and the required action
 */
export function checkKafkajs(load: (path: string) => unknown = createRequire(import.meta.url)): void {
  const { version } = manifest.parse(load('kafkajs/package.json'));
  if (version !== supportedVersion) {
    throw unsupported(version, `its version is not ${supportedVersion}`);
  }
  for (const [path, methods] of patchedMethods) {
    const missing = methods.filter((method) => !hasMethod(load(path), method));
    if (missing.length > 0) {
      throw unsupported(version, `${path} has no ${missing.join(', ')}`);
    }
  }
}

function hasMethod(loaded: unknown, method: string): boolean {
  const { data } = patchedClass.safeParse(loaded);
  return data !== undefined && typeof Reflect.get(data.prototype, method) === 'function';
}

function unsupported(version: string, reason: string): Error {
  return new Error(
    `Postrider cannot use the installed kafkajs ${version}: ${reason}. Install kafkajs ` +
      `${supportedVersion}: run "npm ci" in the folder of Postrider.`,
  );
}
