import { expect } from 'chai';

import { createWindowShare } from '../../consumers/fairness/windowShare.js';
import { createAccountAdmission } from '../../consumers/fairness/accountAdmission.js';
import { createTenantSemaphore } from '../../consumers/fairness/tenantSemaphore.js';
import { rawRecord } from '../support/records.js';

/** An admission of two records of each account at once, in windows of ten records. */
function admissionOfTwo(queued?: number, otherAccountSeenWithinMs = Infinity) {
  const shareOf = (otherSeenWithinMs: number) =>
    createWindowShare({
      ofPartition: { records: 10, bytes: 1000 },
      inAll: { records: 60, bytes: 6000 },
      otherSeenWithinMs,
      now: () => 0,
    });
  const semaphoreOf = (limit: number) =>
    createTenantSemaphore({ limit, otherSeenWithinMs: 60_000, now: () => 0 });
  const admission = createAccountAdmission({
    ...{ accountShare: shareOf(otherAccountSeenWithinMs), tenantShare: shareOf(60_000) },
    accountSemaphore: semaphoreOf(2),
    ...(queued !== undefined && { queueSemaphore: semaphoreOf(queued) }),
  });
  const started: string[] = [];
  const recordOf = (accountId: string, tenantId?: string) =>
    rawRecord({
      topic: 'events',
      key: '',
      value: Buffer.alloc(1),
      headers: {
        ce_source: `/accounts/${accountId}`,
        ...(tenantId !== undefined && { ce_tenantid: tenantId }),
      },
    });
  return {
    started,
    enter: (accountId: string, count = 1) => {
      for (let record = 0; record < count; record += 1) {
        admission.enter(recordOf(accountId), (isOverShare) => {
          started.push(isOverShare ? `${accountId} over share` : accountId);
        });
      }
    },
    /** Enters records of a tenant of one account. */
    enterOf: (tenantId: string, count = 1, partition = 0) => {
      for (let record = 0; record < count; record += 1) {
        admission.enter({ ...recordOf('acct_platform', tenantId), partition }, (isOverShare) => {
          started.push(isOverShare ? `${tenantId} over share` : tenantId);
        });
      }
    },
    leaveOf: (tenantId: string) => {
      admission.leave(recordOf('acct_platform', tenantId), false);
    },
    /** Enters records with these timestamps, one after the other. */
    enterAt: (timestamps: readonly number[]) => {
      for (const timestamp of timestamps) {
        admission.enter({ ...recordOf('acct_busy'), timestamp }, () => started.push(`at ${timestamp}`));
      }
    },
    begin: (accountId: string) => {
      admission.started?.(recordOf(accountId), false);
    },
    leave: (accountId: string, isOverShare = false) => {
      admission.leave(recordOf(accountId), isOverShare);
    },
  };
}

describe('the admission of records by account', () => {
  it('starts no more records of an account than its limit', () => {
    const { started, enter } = admissionOfTwo();
    enter('acct_busy', 3);
    expect(started).to.deep.equal(['acct_busy', 'acct_busy']);
  });

  it('starts a record when the work of another one has begun, up to the limit of the account', () => {
    const { started, enter, begin } = admissionOfTwo(1);
    enter('acct_busy', 3);
    const first = [...started];
    begin('acct_busy');
    const second = [...started];
    begin('acct_busy');
    expect([first.length, second.length, started.length]).to.deep.equal([1, 2, 2]);
  });

  it('frees the place in the queue of a record that ends', () => {
    const { started, enter, begin, leave } = admissionOfTwo(1);
    enter('acct_busy', 2);
    begin('acct_busy');
    leave('acct_busy');
    expect(started).to.deep.equal(['acct_busy', 'acct_busy']);
  });

  it('starts records of another account in parallel', () => {
    const { started, enter } = admissionOfTwo();
    enter('acct_busy', 3);
    enter('acct_other');
    expect(started).to.deep.equal(['acct_busy', 'acct_busy', 'acct_other']);
  });

  it('starts a waiting record when another one is done', () => {
    const { started, enter, leave } = admissionOfTwo();
    enter('acct_busy', 4);
    leave('acct_busy');
    expect(started).to.have.length(3);
  });

  it('starts the oldest waiting record of an account next', () => {
    const { started, enterAt, leave } = admissionOfTwo();
    enterAt([3, 4, 2, 1]);
    leave('acct_busy');
    expect(started).to.deep.equal(['at 3', 'at 4', 'at 1']);
  });

  it('starts a record at once, for its deferral, if its account is over its share of the window', () => {
    const { started, enter } = admissionOfTwo();
    enter('acct_busy', 7);
    expect(started).to.deep.equal(['acct_busy', 'acct_busy', 'acct_busy over share']);
  });

  it('does not start a waiting record when a deferred record is done', () => {
    const { started, enter, leave } = admissionOfTwo();
    enter('acct_busy', 7);
    leave('acct_busy', true);
    expect(started).to.have.length(3);
  });

  it('counts waiting records as part of the window', () => {
    const { started, enter, leave } = admissionOfTwo();
    enter('acct_busy', 6);
    leave('acct_busy');
    leave('acct_busy');
    enter('acct_busy');
    expect(started.filter((start) => start.endsWith('over share'))).to.deep.equal([]);
  });

  it('starts a record of another tenant as soon as one of a backlog is done', () => {
    const { started, enterOf, leaveOf } = admissionOfTwo(undefined, 60_000);
    enterOf('acme', 3);
    enterOf('globex');
    leaveOf('acme');
    expect(started).to.deep.equal(['acme', 'acme', 'globex']);
  });

  it('starts a record at once, for its deferral, if its tenant is over its share and another tenant was seen', () => {
    const { started, enterOf } = admissionOfTwo(undefined, 60_000);
    enterOf('globex');
    enterOf('acme', 7);
    expect(started.filter((start) => start.endsWith('over share'))).to.deep.equal(['acme over share']);
  });

  it('starts no record of a single tenant for its deferral', () => {
    const { started, enterOf } = admissionOfTwo(undefined, 60_000);
    enterOf('acme', 5);
    enterOf('acme', 5, 1);
    expect(started).to.deep.equal(['acme', 'acme']);
  });
});
