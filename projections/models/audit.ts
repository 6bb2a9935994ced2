import { accountAuditEntry, webhookAuditEntry, type AuditEntry } from '../../shared/domain/accounts/audit.js';
import type { Decoded, RawRecord } from '../../shared/log/encoding/record.js';
import { accountRecords } from '../../shared/log/records/accounts.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import type { AuditDocument } from '../../shared/store/models/documents.js';
import { fencesOf } from '../../shared/store/models/fences.js';
import type { Projection } from './projection.js';

/** A document for each record about an account, its keys and its webhooks. No other record changes the document. */
export const auditProjection: Projection<AuditDocument> = {
  name: 'audit',
  unreadFields: [],
  insertsOnly: true,
  accountDocumentsFilter: ({ id: accountId }) => ({ $or: [{ accountId }, fencesOf(accountId)] }),
  // The log keeps all records of the model `audit`, so every version is built from the log.
  conversions: {},
  read: (record) => {
    const decoded = readEntry(record);
    if (!decoded.readable) {
      return decoded;
    }
    const entry = documentOf(decoded.content);
    return { readable: true, content: [{ id: entry._id, apply: (document) => document ?? entry }] };
  },
};

function readEntry(record: RawRecord): Decoded<AuditEntry> {
  if (record.topic === 'webhooks') {
    const decoded = webhookRecords.decode(record);
    return decoded.readable ? { readable: true, content: webhookAuditEntry(decoded.content) } : decoded;
  }
  const decoded = accountRecords.decode(record);
  return decoded.readable ? { readable: true, content: accountAuditEntry(decoded.content) } : decoded;
}

function documentOf({ id: _id, at: created, ...entry }: AuditEntry): AuditDocument {
  return { _id, ...entry, created, positions: {} };
}
