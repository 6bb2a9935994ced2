import { fetchLessWhenIdle } from './idleFetches.js';
import { stopIdleTimers } from './idleTimers.js';
import { replaceRecordFormat } from './replaceRecordFormat.js';
import { checkKafkajs } from './checkKafkajs.js';
import { patchMembership } from './membership.js';
import { patchOutOfRange } from './outOfRange.js';

/**
 * Changes kafkajs where this project needs it to behave differently. To be called before a client is created.
 * @throws Error if the installed kafkajs is not the version that the patches are written for
 */
export function prepareKafkajs(): void {
  checkKafkajs();
  stopIdleTimers();
  fetchLessWhenIdle();
  patchMembership();
  patchOutOfRange();
  replaceRecordFormat();
}
