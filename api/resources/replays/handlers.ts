import type { Replay } from '../../../shared/domain/replays/replay.js';
import type { ReplayDocument } from '../../../shared/store/models/documents.js';
import { replayIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import type { ReplayCounts } from '../../../shared/store/queries/replayCounts.js';
import { storedReplay } from '../../../shared/store/queries/storedReplay.js';
import { isApiError, missingResource, type ApiError } from '../../http/apiError.js';
import { rangeOf, readPage } from '../../http/paging.js';
import { jsonResponse, type HandlerResult } from '../../http/response.js';
import { disabledWebhook, type WebhookLookup } from '../webhooks/webhookLookup.js';
import type { ReplayCommands } from './replayCommands.js';
import type { ReplayLookup } from './replayLookup.js';
import type { ReplayHandlers } from './routes.js';
import type { SelectableEvents } from './selectableEvents.js';

export interface ReplayHandlerDependencies {
  readonly replays: Pick<ReadModel<ReplayDocument>, 'findListPage'>;
  readonly lookup: ReplayLookup;
  readonly webhooks: Pick<WebhookLookup, 'find'>;
  readonly commands: ReplayCommands;
  readonly selectable: SelectableEvents;
  readonly counts: Pick<ReplayCounts, 'count'>;
}

const dryRunStatus = 200;

export function createReplayHandlers(dependencies: ReplayHandlerDependencies): ReplayHandlers {
  const { replays, lookup, webhooks, commands, selectable, counts } = dependencies;

  const toResult = async (replay: Replay) => {
    const [done, failed] = await Promise.all([counts.count(replay, 'done'), counts.count(replay, 'failed')]);
    return replayRepresentation({ replay, done, failed });
  };

  const toResultOrError = async (replay: Replay | ApiError): Promise<HandlerResult> =>
    isApiError(replay) ? replay : jsonResponse(await toResult(replay));

  return {
    create: async ({ caller, body, identity }) => {
      const { webhookId, since, until = identity.created, types = null, only, dryRun } = body;
      const webhook = await webhooks.find(caller, webhookId);
      if (webhook === null) {
        return missingResource('webhook', webhookId);
      }
      if (webhook.status === 'disabled') {
        return disabledWebhook;
      }
      const filter = { since, until, types, only };
      const eventsBelow = await selectable.below(only);
      if (!dryRun) {
        return toResultOrError(await commands.create({ caller, identity, webhookId, filter, eventsBelow }));
      }
      const { accountId, mode } = caller;
      const scope = { accountId, mode, webhookId, subscription: webhook.events, filter, eventsBelow };
      return { ...jsonResponse({ matched: await selectable.count(scope) }), status: dryRunStatus };
    },

    list: async ({ caller, query }) => {
      const { accountId, mode } = caller;
      const range = await rangeOf(query, (id) => lookup.find(caller, id));
      const selection = { filter: { accountId, mode }, index: replayIndexes.list.key };
      const page = await readPage(replays, selection, range);
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

/** A replay with the counts of its deliveries. */
interface ReplayProgress {
  readonly replay: Replay;
  readonly done: number;
  readonly failed: number;
}

function replayRepresentation({ replay, done, failed }: ReplayProgress) {
  const { since, until, types, only } = replay.filter;
  return {
    id: replay.id,
    webhookId: replay.webhookId,
    status: replay.status,
    filter: { since: since.toISOString(), until: until.toISOString(), types, only },
    matched: replay.matched,
    done,
    failed,
    created: replay.created.toISOString(),
    finishedAt: replay.finishedAt?.toISOString() ?? null,
  };
}
