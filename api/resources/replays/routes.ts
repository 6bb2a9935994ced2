import { z } from 'zod';

import { replaySelections, replayStatuses } from '../../../shared/domain/replays/replay.js';
import { listSchema, pagingParameters } from '../../http/paging.js';
import {
  authenticatedRoute,
  noBody,
  noQuery,
  type AuthenticatedHandler,
  type Route,
} from '../../http/route.js';
import { timeBoundSchema, timeSchema, typePatternSchema } from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';

export interface ReplayHandlers {
  readonly create: AuthenticatedHandler<typeof createReplayBody, typeof noQuery>;
  readonly list: AuthenticatedHandler<typeof noBody, typeof listReplaysQuery>;
  readonly retrieve: AuthenticatedHandler<typeof noBody, typeof noQuery>;
  readonly cancel: AuthenticatedHandler<typeof noBody, typeof noQuery>;
}

const tag = 'Replays';

export function replayRoutes(replays: ReplayHandlers): readonly Route[] {
  return [createReplay(replays), listReplays(replays), retrieveReplay(replays), cancelReplay(replays)];
}

function createReplay(replays: ReplayHandlers): Route {
  return authenticatedRoute({
    method: 'POST',
    path: '/v1/replays',
    operationId: 'createReplay',
    tag,
    summary: 'Replay the events of a time range',
    description:
      'Restarts the retry schedule of each selected delivery to the webhook, oldest event ' +
      'first. Failed deliveries of a replay are retried as usual. New events have priority ' +
      'over a replay. The replay is `completed` when all matching deliveries are queued. After ' +
      'that, `done` and `failed` continue to count. A request with `dryRun` only counts the ' +
      'matching events.',
    scope: 'webhooks:write',
    body: createReplayBody,
    isLiveOnly: true,
    query: noQuery,
    successStatus: 202,
    response: replaySchema,
    otherSuccess: { status: 200, response: dryRunSchema, example: dryRunExample },
    errors: ['test_mode_unsupported', 'event_type_invalid', 'resource_missing', 'webhook_disabled'],
    examples: { body: replayRequestExample, response: requestedReplayExample },
    handle: replays.create,
  });
}

function listReplays(replays: ReplayHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/replays',
    operationId: 'listReplays',
    tag,
    summary: 'List replays',
    description: 'Returns the replays of the account and mode, newest first.',
    scope: 'webhooks:read',
    body: noBody,
    query: listReplaysQuery,
    successStatus: 200,
    response: replayListSchema,
    errors: ['cursor_invalid'],
    examples: { response: { data: [replayExample], hasMore: false } },
    handle: replays.list,
  });
}

function retrieveReplay(replays: ReplayHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/replays/:id',
    operationId: 'retrieveReplay',
    tag,
    summary: 'Retrieve a replay',
    description: 'Returns a replay with its progress.',
    scope: 'webhooks:read',
    body: noBody,
    query: noQuery,
    successStatus: 200,
    response: replaySchema,
    errors: ['resource_missing'],
    examples: { response: replayExample },
    handle: replays.retrieve,
  });
}

function cancelReplay(replays: ReplayHandlers): Route {
  return authenticatedRoute({
    method: 'POST',
    path: '/v1/replays/:id/cancel',
    operationId: 'cancelReplay',
    tag,
    summary: 'Cancel a replay',
    description:
      'Stops a replay, which then queues no further events. Queued deliveries continue, ' +
      'including their retries. The request has no effect on a finished replay.',
    scope: 'webhooks:write',
    body: noBody,
    query: noQuery,
    successStatus: 200,
    response: replaySchema,
    errors: ['resource_missing'],
    examples: { response: canceledReplayExample },
    handle: replays.cancel,
  });
}

/** The examples in the OpenAPI document. A test checks each example against its schema. */

const replayRequestExample = {
  webhookId: 'wh_01M7YDPTQM04NT3X3AX52TZD0R',
  since: '2026-11-20T00:00:00.000Z',
  until: '2026-11-21T00:00:00.000Z',
  types: ['order.completed'],
  only: 'failed',
};

const { webhookId, since, until, types, only } = replayRequestExample;

const replayExample = {
  id: 'rpl_01M7YDPW6TZ3M9B9X5T2Q1A7CD',
  webhookId,
  status: 'running',
  filter: { since, until, types, only },
  matched: 420,
  done: 290,
  failed: 3,
  created: '2026-11-21T06:46:42.138Z',
  finishedAt: null,
};

const requestedReplayExample = { ...replayExample, matched: null, done: 0, failed: 0 };

const canceledReplayExample = {
  ...replayExample,
  status: 'canceled',
  finishedAt: '2026-11-21T06:46:50.002Z',
};

const dryRunExample = { matched: 420 };

const maximumTypes = 100;

const onlySchema = z.enum(replaySelections, mustBe(`one of ${replaySelections.join(', ')}`)).meta({
  description:
    '`failed`: the delivery to the webhook ended as `failed` or `canceled`. `missing`: the webhook ' +
    'subscribes to the type of the event, and ' +
    'the event has no delivery to it. An event is missing if it was posted before the webhook was ' +
    'created or while the ' +
    'webhook was disabled. `all`: every event of a type that the webhook subscribes to.',
});

export const createReplayBody = z
  .strictObject({
    webhookId: z.string().meta({ description: 'The active webhook that gets the events.' }),
    since: timeBoundSchema('above').meta({
      description: 'The replay selects events that were created at this time or later.',
    }),
    until: timeBoundSchema('below')
      .optional()
      .meta({
        description:
          'The replay selects events that were created at this time or earlier. The default is the ' +
          'time of the request.',
      }),
    types: z
      .array(typePatternSchema)
      .min(1, mustBe('a list of at least one event type'))
      .max(maximumTypes, mustBe(`a list of at most ${String(maximumTypes)} event types`))
      .optional()
      .meta({
        description:
          'The replay selects events of one of these types. `order.*` means all types below `order`.',
      }),
    only: onlySchema,
    dryRun: z
      .boolean()
      .default(false)
      .meta({ description: 'Only count the matching events, without a replay.' }),
  })
  .refine(({ since, until = since }) => until >= since, {
    path: ['until'],
    ...mustBe('the same time as since or a later one'),
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
    matched: z
      .int()
      .nullable()
      .meta({ description: 'The number of matching events, or null until the events are counted.' }),
    done: z.int().meta({ description: 'The number of deliveries of the replay that succeeded.' }),
    failed: z
      .int()
      .meta({ description: 'The number of deliveries of the replay that ended as `failed` or `canceled`.' }),
    created: timeSchema,
    finishedAt: timeSchema.nullable(),
  })
  .meta({ id: 'Replay', description: 'The repeated delivery of events of a time range to a webhook.' });

export const dryRunSchema = z
  .object({ matched: z.int() })
  .meta({ id: 'ReplayDryRun', description: 'The number of events that a replay would match.' });

export const replayListSchema = listSchema(replaySchema).meta({ id: 'ReplayList' });
