import { expect } from 'chai';

import { createHourlyLimit, maximumEntriesPerHour } from '../../../api/auditTrail/hourlyLimit.js';

const at = new Date('2026-11-24T08:10:00Z');
const later = new Date('2026-11-24T09:00:00Z');

describe('the hourly limit of audit entries', () => {
  it('allows the first of several equal occurrences in an hour', () => {
    const gate = createHourlyLimit();
    expect([
      gate('acct_1', 'failed', at),
      gate('acct_1', 'failed', at),
      gate('acct_1', 'rejected', at),
      gate('acct_2', 'failed', at),
      gate('acct_1', 'failed', later),
    ]).to.deep.equal(['first', 'repeated', 'first', 'first', 'first']);
  });

  it('allows a bounded number of occurrences for each account in an hour', () => {
    const gate = createHourlyLimit();
    const answers = Array.from({ length: maximumEntriesPerHour + 2 }, (_, count) =>
      gate('acct_1', `network ${count}`, at),
    );
    expect([
      answers.filter((answer) => answer === 'first').length,
      answers.at(-1),
      gate('acct_1', 'network 0', at),
      gate('acct_2', 'network 0', at),
      gate('acct_1', 'network 0', later),
    ]).to.deep.equal([maximumEntriesPerHour, 'too many', 'repeated', 'first', 'first']);
  });
});
