import { z } from 'zod';

const readinessSchema = z.object({ checks: z.record(z.string(), z.string()) });

/** The failures of a role by the name of each check that fails. Empty if the role is ready. */
export async function missingAt(address: string): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(`${address}/readyz`);
  const { checks } = readinessSchema.parse(await response.json());
  return Object.fromEntries(Object.entries(checks).filter(([, missing]) => missing !== 'ok'));
}
