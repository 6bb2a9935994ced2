import { z } from 'zod';

import { replaySelections, type ReplayFact } from '../../domain/replays/replay.js';
import { deliveryErrorCodes } from '../../domain/deliveries/deliveryFacts.js';
import { isFilter } from '../../filters/compileFilter.js';
import { createFactCodec, type ValueSchemas } from '../encoding/factCodec.js';
import { actorSchema, boundaryIdsSchema, timeSchema } from '../encoding/schemas.js';

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
        statusCodes: z.array(z.int()).optional(),
        errorCodes: z.array(z.enum(deliveryErrorCodes)).optional(),
        eventIds: z.array(z.string()).optional(),
      }),
      subscription: z.array(z.string()).min(1),
      webhookFilter: z.string().refine(isFilter, 'it is not a filter').optional(),
      epoch: z.int().nonnegative(),
      eventsBelow: z.array(z.int().nonnegative()),
      eventsBelowIds: boundaryIdsSchema.optional(),
      tenantFrom: z.array(z.int().nonnegative()).optional(),
      actor: actorSchema,
    })
    .describe(
      'A replay was requested, with the selection of its events. `eventsBelow` is the end offset ' +
        'of each partition of `events`. The replay contains only events below these offsets. ' +
        'With `statusCodes` or `errorCodes`, the replay contains only deliveries whose last attempt matches both. ' +
        'With `eventIds`, the replay contains only these events, whatever `since` and `until` are. ' +
        '`eventsBelowIds` contains the `ce_id` of the last record below each offset, or null without one. ' +
        'Records of earlier versions have no `eventsBelowIds`. ' +
        '`tenantFrom` contains the offsets from which the tenant of the webhook has events. ' +
        'The replay contains no events below them. ' +
        '`webhookFilter` is the JSON text of the filter of the webhook. Without a delivery, the replay contains only ' +
        'events that match this filter.',
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
    .object({ matched: matchedSchema, omitted: matchedSchema.optional() })
    .describe(
      'The deliveries of all matching events were requested. Each delivery request is a separate ' +
        'record in `deliveries`. `omitted` is how many of the `matched` events were not requested, ' +
        'because their delivery had ended. Without `omitted`, the record is of an earlier version.',
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
