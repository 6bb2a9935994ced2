import { expect } from 'chai';

import { webhooksProjection } from '../../../projections/models/webhooks.js';
import type { WebhookFact } from '../../../shared/domain/webhooks/webhook.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import { webhookRecords } from '../../../shared/log/records/webhooks.js';
import { start, testIdentifier, testRecordId, type InContext } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import {
  sealed,
  testWebhookId,
  webhookCreated,
  webhookDeleted,
  webhookEnabled,
} from '../../support/webhookFacts.js';
import { foldedDocument } from '../foldedLog.js';

/** The fact at its offset in the partition, with its own `ce_id` by default. */
function recordOf(fact: InContext<WebhookFact>, offset: number, id = testRecordId(offset)): RawRecord {
  const outgoing = webhookRecords.encode(fact, { ...fact.context, id });
  return rawRecord(outgoing, { partition: 1, offset });
}

function documentAfter(...facts: readonly InContext<WebhookFact>[]) {
  return foldedDocument(
    webhooksProjection,
    facts.map((fact, offset) => recordOf(fact, offset)),
  );
}

describe('webhooksProjection', () => {
  it('creates a document of a webhook', () => {
    expect(documentAfter(webhookCreated())).to.deep.equal({
      _id: testWebhookId,
      accountId: testIdentifier('acct'),
      mode: 'live',
      tenantId: null,
      tenancy: null,
      url: 'https://example.com/hook',
      events: ['order.completed'],
      description: null,
      name: null,
      mutedUntil: null,
      status: 'active',
      disabledReason: null,
      created: start,
      enabledAt: start,
      secrets: [{ secret: sealed('first'), created: start, expiresAt: null }],
      options: null,
      eventsFrom: [10, 20, 30],
      epoch: 0,
      version: 0,
      positions: { 'webhooks/1': 0 },
      recordIds: [testRecordId(0)],
    });
  });

  it('keeps neither the URL nor the secrets of a deleted webhook', () => {
    expect(documentAfter(webhookCreated(), webhookDeleted())).to.deep.equal({
      _id: testWebhookId,
      accountId: testIdentifier('acct'),
      mode: 'live',
      tenantId: null,
      tenancy: null,
      status: 'deleted',
      positions: { 'webhooks/1': 1 },
      recordIds: [testRecordId(0), testRecordId(1)],
    });
  });

  it('does not restore a deleted webhook', () => {
    expect(documentAfter(webhookCreated(), webhookDeleted(), webhookEnabled(), webhookCreated())).to.include({
      status: 'deleted',
    });
  });

  it('ignores a change of a webhook that was never created', () => {
    expect(documentAfter(webhookEnabled())).to.equal(undefined);
  });
});
