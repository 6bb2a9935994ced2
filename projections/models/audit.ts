import {
  accountAuditEntry,
  eventTypeAuditEntry,
  tenantAuditEntry,
  webhookAuditEntry,
  type AuditEntry,
} from '../../shared/domain/accounts/audit.js';
import type { TenantFact } from '../../shared/domain/tenants/tenant.js';
import type { TenantApiKeyFact } from '../../shared/domain/accounts/tenantApiKey.js';
import { accountRecords } from '../../shared/log/records/accounts.js';
import { eventTypeRecords } from '../../shared/log/records/eventTypes.js';
import { tenantRecords } from '../../shared/log/records/tenants.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import { eventTypesTopic, type TopicName } from '../../shared/log/topics/names.js';
import type { AuditDocument } from '../../shared/store/models/documents.js';
import { fencesOf } from '../../shared/store/models/fences.js';
import {
  readWith,
  type DocumentFold,
  type InContext,
  type Projection,
  type ReadFolds,
} from './projection.js';

/** A document for each record about an account, its keys, its webhooks, its event types and its tenants. */
export const auditProjection: Projection<AuditDocument> = {
  name: 'audit',
  insertsOnly: true,
  accountDocumentsFilter: (accountId) => ({ $or: [{ accountId }, fencesOf(accountId)] }),
  read: (record) => (readers[record.topic] ?? readAccount)(record),
};

const readAccount = readWith(accountRecords.decode, (fact) => insertionOf(accountAuditEntry(fact)));

const readers: Readonly<Partial<Record<TopicName, ReadFolds<AuditDocument>>>> = {
  webhooks: readWith(webhookRecords.decode, (fact) => insertionOf(webhookAuditEntry(fact))),
  [eventTypesTopic]: readWith(eventTypeRecords.decode, (fact) => insertionOf(eventTypeAuditEntry(fact))),
  tenants: readWith(tenantRecords.decode, (fact) => insertionOf(tenantEntryOf(fact))),
};

function tenantEntryOf(fact: (TenantFact | TenantApiKeyFact) & InContext): AuditEntry | null {
  return fact.type === 'postrider.tenant.erased' ? null : tenantAuditEntry(fact);
}

/** The insertion of an audit entry, or none for a record without an entry. */
function insertionOf(entry: AuditEntry | null): readonly DocumentFold<AuditDocument>[] {
  if (entry === null) {
    return [];
  }
  const { id: _id, at: created, ...fields } = entry;
  const inserted: AuditDocument = { _id, ...fields, created, positions: {} };
  return [{ id: _id, apply: (document) => document ?? inserted }];
}
