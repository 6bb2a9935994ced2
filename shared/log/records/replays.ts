import { z } from 'zod';

import { replaySelections, type ReplayFact } from '../../domain/replays/replay.js';
import { createFactCodec, type ValueSchemas } from '../encoding/factCodec.js';
import { actorSchema, timeSchema } from '../encoding/schemas.js';

const matchedSchema = z.int().nonnegative();

const schemas: ValueSchemas<ReplayFact> = {
  'postrider.replay.requested': z
    .object({
      webhookId: z.string(),
      filter: z.object({
        since: timeSchema,
        until: timeSchema,
        types: z.array(z.string()).nullable(),
        only: z.enum(replaySelections),
      }),
      subscription: z.array(z.string()).min(1),
      epoch: z.int().nonnegative(),
      eventsBelow: z.array(z.int().nonnegative()),
      actor: actorSchema,
    })
    .describe(
      'A replay was asked for, with all that selects its events. `eventsBelow` has, by partition of `events`, the offset below which they are taken.',
    ),
  'postrider.replay.progressed': z
    .object({
      matched: matchedSchema,
      cursor: z.object({ created: timeSchema, eventId: z.string() }).nullable(),
    })
    .describe('How many events are `matched`, and up to where they were handed over.'),
  'postrider.replay.completed': z
    .object({ matched: matchedSchema })
    .describe('All that match were handed over: each is a request of its own in `deliveries`.'),
  'postrider.replay.canceled': z
    .object({
      reason: z.enum(['requested', 'webhook_disabled', 'webhook_deleted']),
      actor: actorSchema,
    })
    .describe('Nothing more is handed over.'),
};

/** The records of the topic `replays`: key is the replay's id. */
export const replayRecords = createFactCodec<ReplayFact>('replays', schemas);
