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
      'A replay was requested, with the selection of its events. `eventsBelow` is the end offset ' +
        'of each partition of `events`. The replay contains only events below these offsets.',
    ),
  'postrider.replay.progressed': z
    .object({
      matched: matchedSchema,
      cursor: z.object({ created: timeSchema, eventId: z.string() }).nullable(),
    })
    .describe(
      'The progress of a replay: `matched` is the number of matching events, and `cursor` is the ' +
        'last event whose delivery was requested.',
    ),
  'postrider.replay.completed': z
    .object({ matched: matchedSchema })
    .describe(
      'The deliveries of all matching events were requested. Each delivery request is a separate ' +
        'record in `deliveries`.',
    ),
  'postrider.replay.canceled': z
    .object({
      reason: z.enum(['requested', 'webhook_disabled', 'webhook_deleted']),
      actor: actorSchema,
    })
    .describe('The replay was canceled. A canceled replay requests no further deliveries.'),
};

/** The records of the topic `replays`. The record key is the replay's id. */
export const replayRecords = createFactCodec<ReplayFact>('replays', schemas);
