import { z } from 'zod';

export const healthSchema = z.object({ status: z.literal('ok') });

/** Each check by its name: `ok`, or what is missing. Without checks if another port serves the details. */
export const readinessSchema = z.object({
  ready: z.boolean(),
  checks: z.record(z.string(), z.string()).optional(),
});
