import { z } from 'zod';

import { auditResourceTypes } from '../../../shared/domain/core/recordedAction.js';
import { listOf, pagingParameters } from '../../http/paging.js';
import { timeSchema } from '../../http/schemas.js';

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
          'Where the request came from: of sign-ins, sign-outs and uses of keys. Null for all other actions.',
      }),
  })
  .meta({ id: 'AuditEntry' });

export const auditLogSchema = listOf(auditEntrySchema).meta({ id: 'AuditLog' });
