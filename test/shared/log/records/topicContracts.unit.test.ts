import { expect } from 'chai';

import { encodeAccountKey, encodeAccountKeyDestroyed } from '../../../../shared/log/records/accountKeys.js';
import { topicContracts } from '../../../../shared/log/records/topicContracts.js';
import { isDeadLetterTopic, tierTopics, topicDefinitions } from '../../../../shared/log/topics/names.js';
import { testIdentifier, testRecordId } from '../../../support/facts.js';
import { sealed } from '../../../support/webhookFacts.js';

const context = { id: testRecordId(1), accountId: testIdentifier('acct'), at: new Date() };

describe('the contracts of the topics', () => {
  it('include every topic of the service except dead letters, whose records are copies', () => {
    const definitions = topicDefinitions({
      prefix: '',
      partitions: 12,
      replication: 3,
      eventRetentionMs: null,
    });
    const made = definitions.map(({ topic }) => topic).filter((topic) => !isDeadLetterTopic(topic));

    expect([...topicContracts.keys()]).to.have.members(made);
  });

  it('mark as private the topics with secrets and the topics without a promise to subscribers', () => {
    const own = [...topicContracts].filter(([, { isPublic }]) => !isPublic).map(([name]) => name);

    expect(own).to.have.members(['accounts', 'event-types', 'tenants', 'account-keys', ...tierTopics]);
  });

  for (const [what, record] of Object.entries({
    'the key of an account': encodeAccountKey(sealed('key'), context),
    'the tombstone of a key': encodeAccountKeyDestroyed(context),
  })) {
    it(`match ${what}`, () => {
      const contract = topicContracts.get('account-keys');
      const value: unknown = record.value === null ? null : JSON.parse(record.value.toString());
      const results = [
        contract?.headers.safeParse(record.headers),
        contract?.values.get(record.headers['ce_type'] ?? '')?.safeParse(value),
      ];

      expect(results.map((result) => result?.error ?? result?.success)).to.deep.equal([true, true]);
    });
  }
});
