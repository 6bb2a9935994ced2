import { z } from 'zod';

import { auditResourceTypes } from '../../../shared/domain/core/recordedAction.js';
import { createdBounds } from '../../http/filters.js';
import { listSchema, pagingParameters, type Paging } from '../../http/paging.js';
import { authenticatedRoute, noBody, type AuthenticatedHandler, type Route } from '../../http/route.js';
import { searchedSchema, timeSchema } from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';

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
        'last name. An entry must match all filters. A list with filters ends after about a second. ' +
        'If `searched` has a cursor, the next page begins at the cursor.',
      scope: null,
      tenants: 'forbidden',
      names: null,
      body: noBody,
      query: listAuditLogQuery,
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

const maximumIdLength = 128;
const idFilter = z
  .string(mustBe('given once'))
  .min(1, mustBe('an id'))
  .max(maximumIdLength, mustBe(`at most ${String(maximumIdLength)} characters long`));
const actionForm = /^[a-z_]{1,64}\.([a-z_]{1,64}|\*)$/;

const resourceTypeSchema = z
  .enum(auditResourceTypes, mustBe(`one of ${auditResourceTypes.join(', ')}`))
  .meta({ id: 'AuditResourceType' });

export const listAuditLogQuery = z.strictObject({
  ...pagingParameters(),
  actorId: idFilter.optional().meta({ description: 'Return only actions of this user or API key.' }),
  action: z
    .string(mustBe('given once'))
    .regex(actionForm, mustBe('an action such as webhook.updated, or a pattern such as webhook.*'))
    .optional()
    .meta({
      description:
        'Return only this action, such as `webhook.updated`, or all actions of a pattern such as `webhook.*`.',
    }),
  resourceType: resourceTypeSchema
    .optional()
    .meta({ description: 'Return only actions on resources of this type.' }),
  resourceId: idFilter.optional().meta({ description: 'Return only actions on this resource.' }),
  ...createdBounds('actions that happened'),
});

export type AuditFilter = Omit<z.output<typeof listAuditLogQuery>, keyof Paging>;

const changedValueSchema = z
  .union([z.string(), z.number(), z.array(z.string())])
  .nullable()
  .meta({
    description: 'A text, a number, a list of texts, or null.',
    // Generators make no usable code from a union.
    describedAs: {},
  });

const changeSchema = z
  .object({ from: changedValueSchema, to: changedValueSchema })
  .meta({ id: 'AuditChange' });

const auditEntrySchema = z
  .object({
    id: z.string(),
    at: timeSchema,
    actor: z
      .object({
        type: z.enum(['api_key', 'user', 'operator', 'system']).meta({ id: 'AuditActorType' }),
        id: z.string().nullable(),
        name: z.string().nullable(),
      })
      .meta({ id: 'AuditActor' }),
    action: z.string(),
    resource: z.object({ type: resourceTypeSchema, id: z.string() }).meta({ id: 'AuditResource' }),
    changes: z.record(z.string(), changeSchema),
    client: z
      .object({
        network: z.string().meta({ description: 'An IPv4 address, or the /64 network of an IPv6 address.' }),
        userAgent: z.string().nullable(),
      })
      .meta({ id: 'AuditClient' })
      .nullable()
      .meta({
        description:
          'The client of a sign-in, a sign-out or the use of an API key, or null for all other ' + 'actions.',
      }),
  })
  .meta({ id: 'AuditEntry' });

export const auditLogSchema = listSchema(auditEntrySchema)
  .extend({ searched: searchedSchema.optional() })
  .meta({ id: 'AuditLog' });
