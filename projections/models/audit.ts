import {
  accountAuditEntry,
  eventTypeAuditEntry,
  tenantAuditEntry,
  webhookAuditEntry,
  type AuditEntry,
} from '../../shared/domain/accounts/audit.js';
import type { RecordContext } from '../../shared/domain/core/fact.js';
import type { TenantFact } from '../../shared/domain/tenants/tenant.js';
import type { TenantApiKeyFact } from '../../shared/domain/accounts/tenantApiKey.js';
import type { Decoded, RawRecord } from '../../shared/log/encoding/record.js';
import { accountRecords } from '../../shared/log/records/accounts.js';
import { eventTypeRecords } from '../../shared/log/records/eventTypes.js';
import { tenantRecords } from '../../shared/log/records/tenants.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import { eventTypesTopic } from '../../shared/log/topics/names.js';
import type { AuditDocument } from '../../shared/store/models/documents.js';
import { fencesOf } from '../../shared/store/models/fences.js';
import type { Projection } from './projection.js';

/** A document for each record about an account, its keys, its webhooks, its event types and its tenants. */
export const auditProjection: Projection<AuditDocument> = {
  name: 'audit',
  unreadFields: [],
  insertsOnly: true,
  accountDocumentsFilter: (accountId) => ({ $or: [{ accountId }, fencesOf(accountId)] }),
  // The log keeps all records of the model `audit`, so every version is built from the log.
  conversions: {},
  read: (record) => {
    const decoded = readEntry(record);
    if (!decoded.readable) {
      return decoded;
    }
    if (decoded.content === null) {
      return { readable: true, content: [] };
    }
    const entry = documentOf(decoded.content);
    return { readable: true, content: [{ id: entry._id, apply: (document) => document ?? entry }] };
  },
};

/** The audit entry of a record, or null for a record without one. */
function readEntry(record: RawRecord): Decoded<AuditEntry | null> {
  if (record.topic === 'webhooks') {
    const decoded = webhookRecords.decode(record);
    return decoded.readable ? { readable: true, content: webhookAuditEntry(decoded.content) } : decoded;
  }
  if (record.topic === eventTypesTopic) {
    const decoded = eventTypeRecords.decode(record);
    return decoded.readable ? { readable: true, content: eventTypeAuditEntry(decoded.content) } : decoded;
  }
  if (record.topic === 'tenants') {
    const decoded = tenantRecords.decode(record);
    return decoded.readable ? { readable: true, content: tenantEntryOf(decoded.content) } : decoded;
  }
  const decoded = accountRecords.decode(record);
  return decoded.readable ? { readable: true, content: accountAuditEntry(decoded.content) } : decoded;
}

function tenantEntryOf(
  fact: (TenantFact | TenantApiKeyFact) & { readonly context: RecordContext },
): AuditEntry | null {
  return fact.type === 'postrider.tenant.erased' ? null : tenantAuditEntry(fact);
}

function documentOf({ id: _id, at: created, ...entry }: AuditEntry): AuditDocument {
  return { _id, ...entry, created, positions: {} };
}
