import { expect } from 'chai';

import { auditProjection } from '../../../projections/models/audit.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import { webhookRecords } from '../../../shared/log/records/webhooks.js';
import { accountSuspended, actionRecorded, testAccountId, testClient } from '../../support/accountFacts.js';
import { start, testActor, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { testWebhookId, webhookEnabled } from '../../support/webhookFacts.js';
import { foldAll } from '../foldedLog.js';

const enabled = webhookEnabled();
const suspended = accountSuspended();
const ofWebhook = rawRecord(webhookRecords.encode(enabled, enabled.context), { partition: 1, offset: 4 });
const ofAccount = rawRecord(accountRecords.encode(suspended, { ...suspended.context, id: testRecordId(2) }), {
  partition: 0,
  offset: 3,
});

describe('auditProjection', () => {
  it('creates a document for each record of both topics, by the id of the record', () => {
    const documents = [...foldAll(auditProjection, [[ofWebhook], [ofAccount]]).values()];

    expect(documents.map(({ positions: _positions, ...document }) => document)).to.deep.equal([
      {
        _id: testRecordId(1),
        accountId: testAccountId,
        mode: 'live',
        created: start,
        actor: { ...testActor, name: null },
        action: 'webhook.enabled',
        resource: { type: 'webhook', id: testWebhookId },
        changes: { status: { from: 'disabled', to: 'active' } },
      },
      {
        _id: testRecordId(2),
        accountId: testAccountId,
        mode: null,
        created: start,
        actor: testActor,
        action: 'account.suspended',
        resource: { type: 'account', id: testAccountId },
        changes: { status: { from: 'active', to: 'suspended' } },
      },
    ]);
  });

  it('creates one document for two records with the id of one action', () => {
    const action = actionRecorded();
    const records = [5, 6].map((offset) =>
      rawRecord(accountRecords.encode(action, action.context), { partition: 0, offset }),
    );
    const documents = [...foldAll(auditProjection, [records]).values()];
    expect(documents.map(({ action: done, client }) => [done, client])).to.deep.equal([
      ['user.signed_in', testClient],
    ]);
  });
});
