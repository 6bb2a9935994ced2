import { accountIdOf, tenantIdOf } from '../../shared/log/encoding/cloudEvent.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import type { WindowAdmission } from '../../shared/log/window/windowedConsumer.js';
import type { RecordOwner, TenantSemaphore } from './tenantSemaphore.js';
import type { WindowShare } from './windowShare.js';

export interface AccountAdmissionDependencies {
  /** The shares of accounts in the windows. */
  readonly accountShare: WindowShare;
  /** The shares of tenants in the windows. */
  readonly tenantShare: WindowShare;
  /** The records of an account that are handled at once. */
  readonly accountSemaphore: TenantSemaphore;
  /** The records of an account whose work has not begun; no separate limit by default. */
  readonly queueSemaphore?: TenantSemaphore;
}

/**
 * The admission that limits how many records of one account are handled at once. The next record is of the tenant with
 * the fewest records, and is the oldest one of the tenant. A consumer fetches one partition after the other, so an old
 * event of a backlog would otherwise wait for newer events of other partitions.
 *
 * Waiting records are not decoded: they are most of the memory of a backlog, and minor garbage collections copy each
 * live object.
 *
 * A record also occupies a place in the queue until its work has begun. So a record is not taken up long before its
 * attempts can begin.
 */
export function createAccountAdmission({
  accountShare,
  tenantShare,
  accountSemaphore,
  queueSemaphore,
}: AccountAdmissionDependencies): WindowAdmission {
  return {
    enter: (record, start) => {
      const owner = ownerOf(record);
      const isAccountOver = accountShare.enter(record, owner.accountId);
      const isTenantOver = tenantShare.enter(record, tenantName(owner));
      if (isAccountOver || isTenantOver) {
        // A record over the share does not wait for the semaphore, because its deferral frees room in the window.
        start(true);
        return;
      }
      accountSemaphore.enter(owner, record.timestamp, () => {
        const begin = () => {
          start(false);
        };
        if (queueSemaphore === undefined) {
          begin();
        } else {
          queueSemaphore.enter(owner, record.timestamp, begin);
        }
      });
    },
    started: (record, isOverShare) => {
      if (!isOverShare) {
        queueSemaphore?.leave(ownerOf(record));
      }
    },
    leave: (record, isOverShare) => {
      const owner = ownerOf(record);
      accountShare.leave(record, owner.accountId);
      tenantShare.leave(record, tenantName(owner));
      if (!isOverShare) {
        accountSemaphore.leave(owner);
      }
    },
  };
}

function ownerOf(record: RawRecord): RecordOwner {
  return { accountId: accountIdOf(record), tenantId: tenantIdOf(record) };
}

/** The name of a tenant among the tenants of all accounts. Records without a tenant count as those of one tenant. */
function tenantName({ accountId, tenantId }: RecordOwner): string {
  return `${accountId}/${tenantId}`;
}
