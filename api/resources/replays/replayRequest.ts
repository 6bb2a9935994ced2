import { z } from 'zod';

import { deliveryErrorCodes } from '../../../shared/domain/deliveries/deliveryFacts.js';
import { replaySelections } from '../../../shared/domain/replays/replay.js';
import { deliveryErrorCodeSchema } from '../../http/deliveryErrors.js';
import { pagingParameters } from '../../http/paging.js';
import { timeBoundSchema, typePatternSchema, webhookIdSchema } from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';

const maximumTypes = 100;

export const onlySchema = z.enum(replaySelections, mustBe(`one of ${replaySelections.join(', ')}`)).meta({
  id: 'ReplaySelection',
  description:
    '`failed`: the delivery to the webhook ended as `failed` or `canceled`. `missing`: the webhook ' +
    'subscribes to the type of the event, and ' +
    'the event has no delivery to it. An event is missing if it was posted before the webhook was ' +
    'created or while the ' +
    'webhook was disabled. `all`: every event of a type that the webhook subscribes to. `open`: the ' +
    'delivery is `pending` or `retrying`, and its next attempt is made now. `undelivered`: the events ' +
    'of `failed`, `missing` and `open`.',
});

const maximumEventIds = 500;
const maximumIdLength = 128;
const lowestStatusCode = 100;
const highestStatusCode = 599;
const maximumStatusCodes = highestStatusCode - lowestStatusCode + 1;

const statusCodeRule = mustBe('a status code from 100 to 599');

const typesSchema = z
  .array(typePatternSchema)
  .min(1, mustBe('a list of at least one event type'))
  .max(maximumTypes, mustBe(`a list of at most ${String(maximumTypes)} event types`))
  .meta({
    description: 'The replay selects events of one of these types. `order.*` means all types below `order`.',
  });

const statusCodesSchema = z
  .array(z.int(statusCodeRule).min(lowestStatusCode, statusCodeRule).max(highestStatusCode, statusCodeRule))
  .min(1, mustBe('a list of at least one status code'))
  .max(maximumStatusCodes, mustBe(`a list of at most ${String(maximumStatusCodes)} status codes`))
  .meta({
    description: 'The replay selects deliveries whose last attempt had one of these status codes.',
  });

const errorCodesSchema = z
  .array(deliveryErrorCodeSchema)
  .min(1, mustBe('a list of at least one error code'))
  .max(
    deliveryErrorCodes.length,
    mustBe(`a list of at most ${String(deliveryErrorCodes.length)} error codes`),
  )
  .meta({
    description:
      'The replay selects deliveries with an attempt whose last attempt, or which themselves, ended with one ' +
      'of these error codes.',
  });

const eventIdsSchema = z
  .array(z.string().max(maximumIdLength, mustBe(`at most ${String(maximumIdLength)} characters long`)))
  .min(1, mustBe('a list of at least one event id'))
  .max(maximumEventIds, mustBe(`a list of at most ${String(maximumEventIds)} event ids`))
  .meta({
    description:
      'The replay selects from these events, whatever their time. `since` and `until` must be left out. ' +
      'Ids of unknown events are ignored.',
  });

const leftOut = mustBe('left out if eventIds is given');

export const createReplayBody = z
  .strictObject({
    webhookId: z
      .string()
      .meta({ description: 'The webhook that gets the events. It is active, except in a dry run.' }),
    since: timeBoundSchema('above').optional().meta({
      description:
        'The replay selects events that were created at this time or later. Required without `eventIds`.',
    }),
    until: timeBoundSchema('below')
      .optional()
      .meta({
        description:
          'The replay selects events that were created at this time or earlier. The default is the ' +
          'time of the request.',
      }),
    types: typesSchema.optional(),
    only: onlySchema,
    statusCodes: statusCodesSchema.optional(),
    errorCodes: errorCodesSchema.optional(),
    eventIds: eventIdsSchema.optional(),
    dryRun: z
      .boolean()
      .default(false)
      .meta({ description: 'Only count the matching events, without a replay.' }),
  })
  .refine(({ since, eventIds }) => since !== undefined || eventIds !== undefined, {
    path: ['since'],
    ...mustBe('given without eventIds'),
  })
  .refine(({ since, eventIds }) => since === undefined || eventIds === undefined, {
    path: ['since'],
    ...leftOut,
  })
  .refine(({ until, eventIds }) => until === undefined || eventIds === undefined, {
    path: ['until'],
    ...leftOut,
  })
  .refine(({ since, until }) => since === undefined || until === undefined || until >= since, {
    path: ['until'],
    ...mustBe('the same time as since or a later one'),
  })
  .meta({ id: 'CreateReplayRequest' });

export type CreateReplayBody = z.output<typeof createReplayBody>;

export const listReplaysQuery = z.strictObject({
  ...pagingParameters(),
  webhookId: webhookIdSchema.optional().meta({ description: 'Only the replays of this webhook.' }),
});
