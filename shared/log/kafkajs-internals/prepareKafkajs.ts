import { fetchLessWhenIdle } from './idleFetches.js';
import { stopIdleTimers } from './idleTimers.js';
import { replaceRecordFormat } from './replaceRecordFormat.js';
import { checkKafkajs } from './checkKafkajs.js';
import { patchMembership } from './membership.js';
import { patchOutOfRange } from './outOfRange.js';

/**
 * Applies all patches of kafkajs. To be called before a client is created.
 * @throws Error if the installed version of kafkajs is not the one that the patches are written for
 */
export function prepareKafkajs(): void {
  checkKafkajs();
  stopIdleTimers();
  fetchLessWhenIdle();
  patchMembership();
  patchOutOfRange();
  replaceRecordFormat();
}
