import { z } from 'zod';

import { auditResourceTypes } from '../../../shared/domain/core/recordedAction.js';
import { listSchema, pagingParameters } from '../../http/paging.js';
import { authenticatedRoute, noBody, type AuthenticatedHandler, type Route } from '../../http/route.js';
import { timeSchema } from '../../http/schemas.js';

export interface AuditHandlers {
  readonly list: AuthenticatedHandler<typeof noBody, typeof listAuditLogQuery>;
}

export function auditRoutes(audit: AuditHandlers): readonly Route[] {
  return [
    authenticatedRoute({
      method: 'GET',
      path: '/v1/audit-log',
      operationId: 'listAuditLog',
      tag: 'Audit log',
      summary: 'List the audit log',
      description:
        'Returns every change of the account, its users, its API keys and its webhooks, newest ' +
        'first. Each change contains the old and the new value of each field. The audit log also contains ' +
        'sign-ins, failed sign-ins, sign-outs, first and rejected uses of keys, resends, tests ' +
        'and replays. Failed sign-ins and rejected uses have one entry for each combination of ' +
        'user or key, network, reason and hour. A live key sees all entries. A test key sees the ' +
        'entries of test webhooks and test keys. An entry appears within about a second after ' +
        'the response to the change. The actor of a webhook change is shown with the current or ' +
        'last name.',
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

/** The example entry in the OpenAPI document. A test checks the example against its schema. */
const auditEntryExample = {
  id: '01M7YDPTQM04NT3X3AX52TZD0R',
  at: '2026-11-21T06:46:40.628Z',
  actor: { type: 'api_key', id: 'key_01M7YDPTQM04NT3X3AX52TZD0R', name: 'Shop backend' },
  action: 'webhook.updated',
  resource: { type: 'webhook', id: 'wh_01M7YDPTQM04NT3X3AX52TZD0R' },
  changes: { events: { from: ['*'], to: ['order.completed'] } },
  client: null,
};

export const listAuditLogQuery = z.strictObject(pagingParameters());

const changedValueSchema = z.union([z.string(), z.number(), z.array(z.string())]).nullable();

const auditEntrySchema = z
  .object({
    id: z.string(),
    at: timeSchema,
    actor: z.object({
      type: z.enum(['api_key', 'user', 'operator', 'system']),
      id: z.string().nullable(),
      name: z.string().nullable(),
    }),
    action: z.string(),
    resource: z.object({ type: z.enum(auditResourceTypes), id: z.string() }),
    changes: z.record(z.string(), z.object({ from: changedValueSchema, to: changedValueSchema })),
    client: z
      .object({
        network: z.string().meta({ description: 'An IPv4 address, or the /64 network of an IPv6 address.' }),
        userAgent: z.string().nullable(),
      })
      .nullable()
      .meta({
        description:
          'The client of a sign-in, a sign-out or the use of an API key, or null for all other ' + 'actions.',
      }),
  })
  .meta({ id: 'AuditEntry' });

export const auditLogSchema = listSchema(auditEntrySchema).meta({ id: 'AuditLog' });
