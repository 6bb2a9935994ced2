import { z } from 'zod';

/**
 * The taken-up offset of a partition of `events`: the log contains the set of deliveries of every event below it. `at`
 * is the append time of the last event below it, in milliseconds since 1970; null if no event was read yet.
 */
export interface TakenUpOffset {
  readonly offset: number;
  readonly at: number | null;
}

const schema = z.object({ takenUp: z.int().nonnegative(), at: z.number().nullable() });

/** The metadata of a committed offset. */
export function encodeTakenUp({ offset, at }: TakenUpOffset): string {
  return JSON.stringify({ takenUp: offset, at } satisfies z.infer<typeof schema>);
}

/** Returns null for the metadata of earlier versions and of other programs. */
export function decodeTakenUp(metadata: string | null): TakenUpOffset | null {
  if (metadata === null || metadata === '') {
    return null;
  }
  const found = schema.safeParse(jsonOf(metadata));
  return found.success ? { offset: found.data.takenUp, at: found.data.at } : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
