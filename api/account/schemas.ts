import { z } from 'zod';

import { timeSchema } from '../schemas.js';
import { sessionUserSchema } from '../sessions/schemas.js';

const count = z.int().min(0);

const modeUsageSchema = z
  .object({
    requestsThisSecond: count.meta({ description: 'This request is one of them, in its own mode.' }),
    webhooks: count,
    apiKeys: count.meta({ description: 'Expired ones are among them.' }),
  })
  .meta({ id: 'ModeUsage' });

export const accountSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    plan: z.enum(['free', 'pro', 'enterprise']),
    status: z.enum(['active', 'suspended']),
    created: timeSchema,
    limits: z.object({
      requestsPerSecond: z.number().meta({ description: 'In each mode.' }),
      webhooks: count.meta({ description: 'In each mode.' }),
    }),
    usage: z.object({ live: modeUsageSchema, test: modeUsageSchema }),
    session: z
      .object({ user: sessionUserSchema, csrfToken: z.string() })
      .nullable()
      .meta({ description: 'Of the person who asks; null for an API key.' }),
  })
  .meta({ id: 'Account' });
