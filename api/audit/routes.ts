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
      summary: 'List who did what',
      description:
        'Every change of the account, its users, its keys and its webhooks, newest first, with each field before and after it; also ' +
        'sign-ins, failed sign-ins and sign-outs, first and rejected uses of keys, resends, tests and replays. Failed sign-ins and ' +
        'rejected uses have one entry per user or key, network, reason and hour: that of the first one. A live key sees all entries, ' +
        'a test key those of test webhooks and test keys. An entry appears within about a second of its response. The actor of a ' +
        'change of a webhook is shown by its present name, or by its last one.',
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
