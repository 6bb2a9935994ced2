import { expect } from 'chai';

import { accountsProjection } from '../../../projections/models/accounts.js';
import type { AccountFact } from '../../../shared/domain/accounts/account.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import {
  accountCreated,
  accountDeleted,
  actionRecorded,
  apiKeyCreated,
  apiKeyDeleted,
  testAccountId,
} from '../../support/accountFacts.js';
import { start, testIdentifier, testRecordId, type InContext } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { foldedDocument } from '../foldedLog.js';

const keyId = testIdentifier('key');

/** The fact at its offset in the partition, with its own `ce_id` by default. */
function recordOf(fact: InContext<AccountFact>, offset: number, id = testRecordId(offset)): RawRecord {
  const outgoing = accountRecords.encode(fact, { ...fact.context, id });
  return rawRecord(outgoing, { partition: 0, offset });
}

function documentAfter(...facts: readonly InContext<AccountFact>[]) {
  return foldedDocument(
    accountsProjection,
    facts.map((fact, offset) => recordOf(fact, offset)),
  );
}

describe('accountsProjection', () => {
  it('creates a document of an account, with its keys', () => {
    expect(documentAfter(accountCreated(), apiKeyCreated(keyId))).to.deep.equal({
      _id: testAccountId,
      name: 'Example',
      email: 'owner@example.com',
      plan: 'free',
      requestsPerSecond: 10,
      created: start,
      isSuspended: false,
      suspensions: 0,
      apiKeys: [
        {
          id: keyId,
          name: 'Server',
          mode: 'live',
          scopes: null,
          expiresAt: null,
          hash: `hash of ${keyId}`,
          prefix: 'sk_live_',
          last4: 'aB3d',
          created: start,
        },
      ],
      deletedApiKeys: [],
      users: [],
      deletedUsers: [],
      positions: { 'accounts/0': 1 },
      recordIds: [testRecordId(0), testRecordId(1)],
    });
  });

  it('keeps only the id of a deleted key', () => {
    const document = documentAfter(accountCreated(), apiKeyCreated(keyId), apiKeyDeleted(keyId));

    expect(document).to.deep.include({ apiKeys: [], deletedApiKeys: [{ id: keyId, mode: 'live' }] });
  });

  it('keeps only the id of a deleted account', () => {
    expect(documentAfter(accountCreated(), apiKeyCreated(keyId), accountDeleted())).to.deep.equal({
      _id: testAccountId,
      isDeleted: true,
      deletedAt: start,
      positions: { 'accounts/0': 2 },
      recordIds: [testRecordId(2)],
    });
  });

  it('is not changed by an action that only the audit log records', () => {
    const record = recordOf(actionRecorded(), 1);

    expect(accountsProjection.read(record)).to.deep.equal({ readable: true, content: [] });
  });

  it('ignores a key of an account that was never created', () => {
    expect(documentAfter(apiKeyCreated(keyId))).to.equal(undefined);
  });
});
