import { z } from 'zod';

import { listOf, pagingParameters } from '../paging.js';
import { timeSchema } from '../schemas.js';

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
    resource: z.object({ type: z.enum(['account', 'api_key', 'user', 'webhook']), id: z.string() }),
    changes: z.record(z.string(), z.object({ from: changedValueSchema, to: changedValueSchema })),
  })
  .meta({ id: 'AuditEntry' });

export const auditLogSchema = listOf(auditEntrySchema).meta({ id: 'AuditLog' });
