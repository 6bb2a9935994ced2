import type { Admission } from '../../shared/kafka/admission.js';
import type { KeyedSemaphore } from '../../shared/keyedSemaphore.js';
import { accountIdOf } from '../../shared/topics/cloudEvent.js';
import type { Crowd } from './crowd.js';

/**
 * Has the records of one account wait in a line of their own, the oldest first: partitions are fetched one after the other, and an
 * event of a backlog is not to wait for newer ones because its partition came last. They wait undecoded: of a backlog they are most of what is in
 * memory, and each is copied by every collection of garbage until it is old.
 */
export function createAccountAdmission({ crowd, lines }: { crowd: Crowd; lines: KeyedSemaphore }): Admission {
  return {
    enter: (record, start) => {
      const accountId = accountIdOf(record);
      if (crowd.enter(record, accountId)) {
        // What is put off makes room: it does not wait for any itself.
        start(true);
      } else {
        lines.enter(accountId, record.timestamp, () => {
          start(false);
        });
      }
    },
    leave: (record, isCrowded) => {
      const accountId = accountIdOf(record);
      crowd.leave(record, accountId);
      if (!isCrowded) {
        lines.leave(accountId);
      }
    },
  };
}
