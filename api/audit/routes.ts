import { keyRoute, noBody, type Route } from '../route.js';
import { auditEntryExample } from './examples.js';
import type { AuditHandlers } from './handlers.js';
import { auditLogSchema, listAuditLogQuery } from './schemas.js';

export function auditRoutes(audit: AuditHandlers): readonly Route[] {
  return [
    keyRoute({
      method: 'GET',
      path: '/v1/audit-log',
      operationId: 'listAuditLog',
      tag: 'Audit log',
      summary: 'List who changed what',
      description:
        'Every change of the account, its keys and its webhooks, newest first, with each field before and after it. A live key sees ' +
        'all of them, a test key those of test webhooks and test keys. A change is there within about a second of its answer. Who has ' +
        'changed a webhook is shown by the name that the person or key has now, or had last.',
      scope: null,
      body: noBody,
      query: listAuditLogQuery,
      successStatus: 200,
      response: auditLogSchema,
      errors: ['cursor_invalid'],
      examples: { response: { data: [auditEntryExample], hasMore: false } },
      handle: audit.list,
    }),
  ];
}
