import { z } from 'zod';

import { replaySelections, replayStatuses } from '../../../shared/domain/replays/replay.js';
import { listOf, pagingParameters } from '../../http/paging.js';
import { boundSchema, eventTypeSchema, timeSchema } from '../../http/schemas.js';
import { must } from '../../http/validation.js';

const maximumTypes = 100;

const onlySchema = z.enum(replaySelections, must(`one of ${replaySelections.join(', ')}`)).meta({
  description:
    '`failed`: the delivery to the webhook ended as `failed` or `canceled`. `missing`: the event is of a type that the webhook asks ' +
    'for and has no delivery to it, also from before it existed or while it was disabled. `all`: every event of such a type.',
});

export const createReplayBody = z
  .strictObject({
    webhookId: z.string().meta({ description: 'Where the events go: one that is active.' }),
    since: boundSchema('above').meta({ description: 'Events that were created at this time or later.' }),
    until: boundSchema('below')
      .optional()
      .meta({ description: 'Created at this time or earlier: now, where it is left out.' }),
    types: z
      .array(eventTypeSchema)
      .min(1, must('a list of at least one event type'))
      .max(maximumTypes, must(`a list of at most ${String(maximumTypes)} event types`))
      .optional()
      .meta({ description: 'Of one of these types.' }),
    only: onlySchema,
    dryRun: z.boolean().default(false).meta({ description: 'Only count what would be matched.' }),
  })
  .refine(({ since, until = since }) => until >= since, {
    path: ['until'],
    ...must('the same time as since or a later one'),
  });

export const listReplaysQuery = z.strictObject(pagingParameters());

export const replaySchema = z
  .object({
    id: z.string(),
    webhookId: z.string(),
    status: z.enum(replayStatuses),
    filter: z.object({
      since: timeSchema,
      until: timeSchema,
      types: z.array(z.string()).nullable(),
      only: z.enum(replaySelections),
    }),
    matched: z.int().nullable().meta({ description: 'Null until they are counted.' }),
    done: z.int().meta({ description: 'Delivered since.' }),
    failed: z.int().meta({ description: 'Whose delivery ended as `failed` or `canceled` since.' }),
    created: timeSchema,
    finishedAt: timeSchema.nullable(),
  })
  .meta({ id: 'Replay', description: 'Events of a span of time that are delivered to a webhook again.' });

export const dryRunSchema = z
  .object({ matched: z.int() })
  .meta({ id: 'ReplayDryRun', description: 'How many events a replay would match.' });

export const replayListSchema = listOf(replaySchema).meta({ id: 'ReplayList' });
