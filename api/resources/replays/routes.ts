import { z } from 'zod';

import { replayStatuses } from '../../../shared/domain/replays/replay.js';
import { deliveryErrorCodeSchema } from '../../http/deliveryErrors.js';
import { listSchema } from '../../http/paging.js';
import {
  authenticatedRoute,
  noBody,
  noQuery,
  type AuthenticatedHandler,
  type Route,
} from '../../http/route.js';
import { timeSchema } from '../../http/schemas.js';
import { createReplayBody, listReplaysQuery, onlySchema } from './replayRequest.js';

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
    summary: 'Replay events',
    description:
      'Restarts the retry schedule of each selected delivery to the webhook, oldest event ' +
      'first. Failed deliveries of a replay are retried as usual. New events have priority ' +
      'over a replay. The replay is `completed` when each of its deliveries was attempted or has ended. After ' +
      'that, `done` and `failed` continue to count. A request with `dryRun` only counts the ' +
      'matching events, also for a disabled webhook. A request with `eventIds` replays these ' +
      'events instead of a time range.',
    scope: 'webhooks:write',
    tenants: 'own',
    names: null,
    body: createReplayBody,
    isLiveOnly: true,
    query: noQuery,
    successStatus: 202,
    response: replayOrDryRunSchema,
    otherSuccess: { status: 200, response: replayOrDryRunSchema, example: dryRunExample },
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
    description: 'Returns the replays of the account and mode, or those of one webhook, newest first.',
    scope: 'webhooks:read',
    tenants: 'own',
    names: null,
    body: noBody,
    query: listReplaysQuery,
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
    tenants: 'own',
    names: 'replay',
    body: noBody,
    query: noQuery,
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
      'Stops a replay within two seconds. Deliveries that were not attempted end as `canceled` ' +
      'with the error `replay_canceled`, or get the status back that they had before the replay. ' +
      'Attempted deliveries continue, including their retries. The request has no effect on a ' +
      'finished replay: each delivery of a completed replay was attempted or has ended.',
    scope: 'webhooks:write',
    tenants: 'own',
    names: 'replay',
    body: noBody,
    query: noQuery,
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
  statusCodes: [500, 503],
};

const { webhookId, since, until, types, only, statusCodes } = replayRequestExample;

const replayExample = {
  id: 'rpl_01M7YDPW6TZ3M9B9X5T2Q1A7CD',
  webhookId,
  status: 'running',
  filter: { since, until, types, only, statusCodes, errorCodes: null, eventIds: null },
  matched: 420,
  omitted: null,
  done: 290,
  failed: 3,
  joined: 0,
  created: '2026-11-21T06:46:42.138Z',
  finishedAt: null,
};

const requestedReplayExample = { ...replayExample, matched: null, done: 0, failed: 0 };

const canceledReplayExample = {
  ...replayExample,
  status: 'canceled',
  finishedAt: '2026-11-21T06:46:50.002Z',
};

const dryRunExample = { matched: 420, complete: true, until };

export const replaySchema = z
  .object({
    id: z.string(),
    webhookId: z.string(),
    status: z.enum(replayStatuses).meta({ id: 'ReplayStatus' }),
    filter: z
      .object({
        since: timeSchema.nullable(),
        until: timeSchema.nullable(),
        types: z.array(z.string()).nullable(),
        only: onlySchema,
        statusCodes: z.array(z.int()).nullable(),
        errorCodes: z.array(deliveryErrorCodeSchema).nullable(),
        eventIds: z.array(z.string()).nullable().meta({
          description: 'Null for a replay of a time range, which has `since` and `until` instead.',
        }),
      })
      .meta({ id: 'ReplayFilter' }),
    matched: z
      .int()
      .nullable()
      .meta({ description: 'The number of matching events, or null until the events are counted.' }),
    omitted: z
      .int()
      .nullable()
      .meta({
        description:
          'The number of matching events that were not sent, because they no longer matched when the ' +
          'replay reached them. Null until the replay is `completed`.',
      }),
    done: z.int().meta({ description: 'The number of deliveries of the replay that succeeded.' }),
    failed: z
      .int()
      .meta({ description: 'The number of deliveries of the replay that ended as `failed` or `canceled`.' }),
    joined: z.int().meta({
      description:
        'The number of deliveries of the replay that share the attempts of another resend or replay, because both ' +
        'requested the delivery before its next attempt. Of the requests that share attempts, all but one count ' +
        'the delivery here. `done` and `failed` contain these deliveries too.',
    }),
    created: timeSchema,
    finishedAt: timeSchema.nullable(),
  })
  .meta({ id: 'Replay', description: 'The repeated delivery of events to a webhook.' });

export const dryRunSchema = z.object({
  matched: z.int(),
  complete: z.boolean().meta({
    description: 'False if the count had to stop: a replay may match more events than `matched`.',
  }),
  until: timeSchema.meta({
    description:
      'The end of the counted time range, which is not after the request. A replay with this `until` contains no ' +
      'newer events.',
  }),
});

/** One object for both results, because generators make no usable code from a union. */
const replayOrDryRunSchema = replaySchema
  .partial()
  .extend(dryRunSchema.partial().shape)
  .extend({
    matched: replaySchema.shape.matched.meta({
      description: 'The number of matching events; null until the events of a replay are counted.',
    }),
  })
  .meta({
    id: 'ReplayOrDryRun',
    description: 'The replay; with `dryRun`, only `matched`, `complete` and `until`.',
  });

export const replayListSchema = listSchema(replaySchema).meta({ id: 'ReplayList' });
