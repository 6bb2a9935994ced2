import { replayStatuses, type Replay, type ReplayFilter } from '../../../shared/domain/replays/replay.js';
import { webhookFilterOf } from '../../../shared/domain/replays/replayDecisions.js';
import type { BoundaryIds } from '../../../shared/log/client/boundaryIds.js';
import type { ReplayDocument } from '../../../shared/store/models/documents.js';
import { replayIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import type { ReplayCounts } from '../../../shared/store/queries/replayCounts.js';
import { storedReplay } from '../../../shared/store/queries/storedDocuments.js';
import { isApiError, missingResource, type ApiError } from '../../http/apiError.js';
import { ownedFilter, type Owner } from '../../http/ownership.js';
import { rangeOf, readPage, type Selection } from '../../http/paging.js';
import { jsonResponse, type HandlerResult } from '../../http/response.js';
import { disabledWebhook, type WebhookLookup } from '../webhooks/webhookLookup.js';
import type { WebhookTenants } from '../webhooks/webhookTenants.js';
import type { ReplayCommands } from './replayCommands.js';
import type { ReplayLookup } from './replayLookup.js';
import type { CreateReplayBody } from './replayRequest.js';
import type { ReplayHandlers } from './routes.js';
import type { SelectableEvents } from './selectableEvents.js';

export interface ReplayHandlerDependencies {
  readonly replays: Pick<ReadModel<ReplayDocument>, 'findListPage'>;
  readonly lookup: ReplayLookup;
  readonly webhooks: Pick<WebhookLookup, 'find'>;
  readonly tenants: Pick<WebhookTenants, 'ofWebhook'>;
  readonly commands: ReplayCommands;
  readonly selectable: SelectableEvents;
  readonly boundaryIds: BoundaryIds;
  readonly counts: Pick<ReplayCounts, 'count' | 'joined'>;
}

const dryRunStatus = 200;

export function createReplayHandlers(dependencies: ReplayHandlerDependencies): ReplayHandlers {
  const { replays, lookup, webhooks, tenants, commands, selectable, boundaryIds, counts } = dependencies;

  const toResult = async (replay: Replay) => {
    const [done, failed, joined] = await Promise.all([
      counts.count(replay, 'done'),
      counts.count(replay, 'failed'),
      counts.joined(replay),
    ]);
    return replayRepresentation({ replay, done, failed, joined });
  };

  const toResultOrError = async (replay: Replay | ApiError): Promise<HandlerResult> =>
    isApiError(replay) ? replay : jsonResponse(await toResult(replay));

  return {
    create: async ({ caller, body, identity }) => {
      const { webhookId, dryRun } = body;
      const webhook = await webhooks.find(caller, webhookId);
      const from = webhook === null ? null : await tenants.ofWebhook(webhook);
      if (webhook === null || from === null) {
        return missingResource('webhook', webhookId);
      }
      if (webhook.status === 'disabled' && !dryRun) {
        return disabledWebhook;
      }
      const filter = filterOf(body, identity.created);
      const eventsBelow = await selectable.below(filter, webhook);
      if (!dryRun) {
        const eventsBelowIds = await boundaryIds(caller.accountId, 'events', eventsBelow);
        const request = { caller, identity, webhookId, filter, eventsBelow, eventsBelowIds, ...from };
        return toResultOrError(await commands.create(request));
      }
      const { accountId, mode } = caller;
      const { events: subscription, tenantId } = webhook;
      const taken = { subscription, ...webhookFilterOf(webhook), eventsBelow, ...from };
      const scope = { accountId, mode, tenantId, webhookId, filter, ...taken };
      const { matched, complete } = await selectable.count(scope);
      // A later event would match an end in the future, although it was not counted.
      const until = new Date(Math.min(filter.until.getTime(), identity.created.getTime()));
      return { ...jsonResponse({ matched, complete, until: until.toISOString() }), status: dryRunStatus };
    },

    list: async ({ caller, query }) => {
      const range = await rangeOf(query, (id) => lookup.find(caller, id));
      const page = await readPage(replays, selectionOf(caller, query.webhookId), range);
      if (isApiError(page)) {
        return page;
      }
      const data: Awaited<ReturnType<typeof toResult>>[] = [];
      // The counts of the replays run one at a time, so that a page of large replays does not cause concurrent counts
      // in the database.
      for (const document of page.items) {
        data.push(await toResult(storedReplay(document)));
      }
      return jsonResponse({ data, hasMore: page.hasMore });
    },

    retrieve: async ({ caller, id }) =>
      toResultOrError((await lookup.find(caller, id)) ?? missingResource('replay', id)),

    cancel: async ({ caller, id, identity }) => toResultOrError(await commands.cancel(caller, id, identity)),
  };
}

/** The replays of a caller, or those of one webhook. */
function selectionOf(caller: Owner, webhookId: string | undefined): Selection {
  const filter = ownedFilter(caller, 'replay');
  if (webhookId !== undefined) {
    return { filter: { ...filter, webhookId }, index: replayIndexes.byWebhook.key };
  }
  // A condition on all statuses lets MongoDB merge their ranges in the order of the list.
  return caller.tenant === null
    ? { filter, index: replayIndexes.list.key }
    : { filter: { ...filter, status: { $in: replayStatuses } }, index: replayIndexes.byTenancy.key };
}

/** The time before all events, for a replay of named events, which has no time range. */
const beginning = new Date(0);

/** @param now the time of the request, which ends the time range by default */
function filterOf({ since, until, types, only, ...named }: CreateReplayBody, now: Date): ReplayFilter {
  const { statusCodes, errorCodes, eventIds } = named;
  return {
    since: since ?? beginning,
    until: until ?? now,
    types: types ?? null,
    only,
    ...(statusCodes !== undefined && { statusCodes }),
    ...(errorCodes !== undefined && { errorCodes }),
    ...(eventIds !== undefined && { eventIds: [...new Set(eventIds)] }),
  };
}

/** A replay with the counts of its deliveries. */
interface ReplayProgress {
  readonly replay: Replay;
  readonly done: number;
  readonly failed: number;
  readonly joined: number;
}

function replayRepresentation({ replay, done, failed, joined }: ReplayProgress) {
  const { since, until, types, only, statusCodes = null, errorCodes = null, eventIds = null } = replay.filter;
  const times =
    eventIds === null
      ? { since: since.toISOString(), until: until.toISOString() }
      : { since: null, until: null };
  return {
    id: replay.id,
    webhookId: replay.webhookId,
    status: replay.status,
    filter: { ...times, types, only, statusCodes, errorCodes, eventIds },
    matched: replay.matched,
    omitted: replay.omitted,
    done,
    failed,
    joined,
    created: replay.created.toISOString(),
    finishedAt: replay.finishedAt?.toISOString() ?? null,
  };
}
