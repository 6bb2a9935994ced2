import { keyRoute, noBody, type Route } from '../../http/route.js';
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

/** What the API's description shows. A test checks it against its schema. */

const auditEntryExample = {
  id: '01M7YDPTQM04NT3X3AX52TZD0R',
  at: '2026-11-21T06:46:40.628Z',
  actor: { type: 'api_key', id: 'key_01M7YDPTQM04NT3X3AX52TZD0R', name: 'Shop backend' },
  action: 'webhook.updated',
  resource: { type: 'webhook', id: 'wh_01M7YDPTQM04NT3X3AX52TZD0R' },
  changes: { events: { from: ['*'], to: ['order.completed'] } },
  client: null,
};
