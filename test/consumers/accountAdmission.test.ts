import { expect } from 'chai';

import { createAccountAdmission } from '../../consumers/groups.js';
import { createWindowShare } from '../../consumers/fairness/windowShare.js';
import { createKeyedSemaphore } from '../../shared/concurrency/keyedSemaphore.js';
import { rawRecord } from '../support/records.js';

/** Lines of two places for each account, in windows of ten records. */
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
          started.push(isOverShare ? `${accountId} crowded` : accountId);
        });
      }
    },
    /** Records of these timestamps, one after the other. */
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

describe('the admission of accounts', () => {
  it('begins as many of an account as there are places', () => {
    const { started, enter } = admissionOfTwo();
    enter('acct_busy', 3);
    expect(started).to.deep.equal(['acct_busy', 'acct_busy']);
  });

  it('begins those of another account beside them', () => {
    const { started, enter } = admissionOfTwo();
    enter('acct_busy', 3);
    enter('acct_other');
    expect(started).to.deep.equal(['acct_busy', 'acct_busy', 'acct_other']);
  });

  it('begins the next one when one has left', () => {
    const { started, enter, leave } = admissionOfTwo();
    enter('acct_busy', 4);
    leave('acct_busy');
    expect(started).to.have.length(3);
  });

  it('begins the oldest of an account next, whichever came first', () => {
    const { started, enterAt, leave } = admissionOfTwo();
    enterAt([3, 4, 2, 1]);
    leave('acct_busy');
    expect(started).to.deep.equal(['at 3', 'at 4', 'at 1']);
  });

  it('begins at once, to be put off, what comes of an account that has most of the window', () => {
    const { started, enter } = admissionOfTwo();
    enter('acct_busy', 7);
    expect(started).to.deep.equal(['acct_busy', 'acct_busy', 'acct_busy crowded']);
  });

  it('gives no place away for what was put off', () => {
    const { started, enter, leave } = admissionOfTwo();
    enter('acct_busy', 7);
    leave('acct_busy', true);
    expect(started).to.have.length(3);
  });

  it('counts what waits as part of the window', () => {
    const { started, enter, leave } = admissionOfTwo();
    enter('acct_busy', 6);
    leave('acct_busy');
    leave('acct_busy');
    enter('acct_busy');
    expect(started.filter((start) => start.endsWith('crowded'))).to.deep.equal([]);
  });
});
