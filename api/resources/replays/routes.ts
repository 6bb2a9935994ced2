import { keyRoute, noBody, noQuery, type Route } from '../../http/route.js';
import type { ReplayHandlers } from './handlers.js';
import {
  createReplayBody,
  dryRunSchema,
  listReplaysQuery,
  replayListSchema,
  replaySchema,
} from './schemas.js';

const tag = 'Replays';

export function replayRoutes(replays: ReplayHandlers): readonly Route[] {
  return [createReplay(replays), listReplays(replays), retrieveReplay(replays), cancelReplay(replays)];
}

function createReplay(replays: ReplayHandlers): Route {
  return keyRoute({
    method: 'POST',
    path: '/v1/replays',
    operationId: 'createReplay',
    tag,
    summary: 'Deliver events of a span of time again',
    description:
      'Starts the schedule anew of each delivery to the webhook that the filter selects, oldest event first; a failed one is retried ' +
      'like any other. New events go first: a replay takes what they leave. It is `completed` when every match is handed over, and ' +
      '`done` and `failed` go on counting. With `dryRun` it is only counted what would be matched.',
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
  return keyRoute({
    method: 'GET',
    path: '/v1/replays',
    operationId: 'listReplays',
    tag,
    summary: 'List replays',
    description: 'The replays of the account and mode, newest first.',
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
  return keyRoute({
    method: 'GET',
    path: '/v1/replays/:id',
    operationId: 'retrieveReplay',
    tag,
    summary: 'Retrieve a replay',
    description: 'One replay, with how far it is.',
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
  return keyRoute({
    method: 'POST',
    path: '/v1/replays/:id/cancel',
    operationId: 'cancelReplay',
    tag,
    summary: 'Cancel a replay',
    description:
      'No further events are handed over. Deliveries that were handed over go on, retries included. A replay that has ended stays as ' +
      'it is.',
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

/** What the API's description shows. A test checks each against its schema. */

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
