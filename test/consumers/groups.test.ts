import { expect } from 'chai';

import { createWindowShare } from '../../consumers/fairness/windowShare.js';
import { createAccountAdmission } from '../../consumers/groups.js';
import { createKeyedSemaphore } from '../../shared/concurrency/keyedSemaphore.js';
import { rawRecord } from '../support/records.js';

/** An admission of two records of each account at once, in windows of ten records. */
function admissionOfTwo() {
  const windowShare = createWindowShare({
    ofPartition: { records: 10, bytes: 1000 },
    inAll: { records: 60, bytes: 6000 },
    otherSeenWithinMs: Infinity,
    now: () => 0,
  });
  const admission = createAccountAdmission({ windowShare, accountSemaphore: createKeyedSemaphore(2) });
  const started: string[] = [];
  const recordOf = (accountId: string) =>
    rawRecord({
      topic: 'events',
      key: '',
      value: Buffer.alloc(1),
      headers: { ce_source: `/accounts/${accountId}` },
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
    /** Enters records with these timestamps, one after the other. */
    enterAt: (timestamps: readonly number[]) => {
      for (const timestamp of timestamps) {
        admission.enter({ ...recordOf('acct_busy'), timestamp }, () => started.push(`at ${timestamp}`));
      }
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
});
