import { endOfPrefix, prefixOf } from '../../../shared/domain/events/eventPattern.js';
import { isIdentifier } from '../../../shared/domain/core/identifiers.js';
import { fromBinary } from '../../../shared/store/client/binary.js';
import type { AttemptDocument } from '../../../shared/store/models/documents.js';
import { attemptIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { isApiError, missingResource } from '../../http/apiError.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import type { Caller } from '../../http/context.js';
import { createdWithin } from '../../http/filters.js';
import { rangeOf, readPage, type ListPosition, type Paging } from '../../http/paging.js';
import { jsonResponse, type HandlerResult } from '../../http/response.js';
import type { EventLookup } from '../events/eventLookup.js';
import { expiredAttemptPosition, type Expiry } from '../events/expiredCursor.js';
import type { WebhookLookup } from '../webhooks/webhookLookup.js';
import type { AttemptHandlers } from './routes.js';

export interface AttemptHandlerDependencies {
  readonly attempts: Pick<ReadModel<AttemptDocument>, 'findByIds' | 'findListPage'>;
  readonly events: EventLookup;
  readonly webhooks: Pick<WebhookLookup, 'find'>;
  readonly expiry: Expiry;
}

/** The event or webhook whose attempts are listed. Neither of them means the attempts of the whole account. */
type ListedBy = Partial<Pick<AttemptDocument, 'eventId' | 'webhookId'>>;

/** The condition that lets MongoDB merge the ranges of both statuses in the order of the list. */
const anyStatus = { $in: ['succeeded', 'failed'] };

export function createAttemptHandlers({
  attempts,
  events,
  webhooks,
  expiry,
}: AttemptHandlerDependencies): AttemptHandlers {
  const positionIn = async (listed: ListedBy, owner: Owner, id: string): Promise<ListPosition | null> => {
    const [attempt] = isIdentifier('att', id)
      ? completeDocuments(await attempts.findByIds([id], { owner: owner.accountId }))
      : [];
    if (attempt === undefined) {
      return expiredAttemptPosition(id, expiry);
    }
    return isListed(attempt, listed, owner) ? { id, created: attempt.created } : null;
  };

  const list = async (
    caller: Caller,
    listed: ListedBy,
    filter: object,
    paging: Paging,
  ): Promise<HandlerResult> => {
    const { accountId, mode } = caller;
    const range = await rangeOf(paging, (id) => positionIn(listed, caller, id));
    const selection = { filter: { ...listed, ...filter, accountId, mode }, index: indexFor(listed) };
    const page = await readPage(attempts, selection, range);
    return isApiError(page)
      ? page
      : jsonResponse({ data: page.items.map(attemptRepresentation), hasMore: page.hasMore });
  };

  return {
    list: async ({ caller, query }) => {
      const { webhookId, status = anyStatus, statusCode, errorCode, type } = query;
      const listed = webhookId === undefined ? {} : { webhookId };
      const filter = {
        status,
        ...(statusCode !== undefined && { statusCode }),
        ...(errorCode !== undefined && { 'error.code': errorCode }),
        ...(type !== undefined && { $or: type.map(eventTypeCondition) }),
        ...createdWithin(query),
      };
      return list(caller, listed, filter, query);
    },

    ofEvent: async ({ caller, id, query }) => {
      if ((await events.find(caller, id)) === null) {
        return missingResource('event', id);
      }
      const { webhookId } = query;
      return list(caller, { eventId: id }, webhookId === undefined ? {} : { webhookId }, query);
    },

    ofWebhook: async ({ caller, id, query }) => {
      if ((await webhooks.find(caller, id)) === null) {
        return missingResource('webhook', id);
      }
      return list(caller, { webhookId: id }, { status: query.status ?? anyStatus }, query);
    },
  };
}

type Owner = Pick<Caller, 'accountId' | 'mode'>;

function isListed(attempt: AttemptDocument, listed: ListedBy, { accountId, mode }: Owner): boolean {
  const { eventId = attempt.eventId, webhookId = attempt.webhookId } = listed;
  const isOf = attempt.eventId === eventId && attempt.webhookId === webhookId;
  return isOf && attempt.accountId === accountId && attempt.mode === mode;
}

function indexFor({ eventId, webhookId }: ListedBy) {
  if (eventId !== undefined) {
    return attemptIndexes.byEvent.key;
  }
  return webhookId === undefined ? attemptIndexes.all.key : attemptIndexes.byWebhook.key;
}

function eventTypeCondition(pattern: string) {
  const prefix = prefixOf(pattern);
  return { eventType: prefix === null ? pattern : { $gte: prefix, $lt: endOfPrefix(prefix) } };
}

function attemptRepresentation(attempt: AttemptDocument) {
  const { error } = attempt;
  return {
    id: attempt._id,
    eventId: attempt.eventId,
    webhookId: attempt.webhookId,
    number: attempt.number,
    trigger: attempt.trigger,
    status: attempt.status,
    statusCode: attempt.statusCode,
    error: error === null ? null : { code: error.code, message: error.message },
    durationMs: attempt.durationMs,
    url: attempt.url,
    requestHeaders: attempt.requestHeaders && Object.fromEntries(attempt.requestHeaders),
    responseHeaders: attempt.responseHeaders && Object.fromEntries(attempt.responseHeaders),
    responseBody: responseText(fromBinary(attempt.responseBody)),
    attemptedAt: attempt.created.toISOString(),
  };
}

const keptBytes = 4096;

/**
 * The stored text of a receiver's response, at most its first 4 KiB. The text is decoded as UTF-8 for any declared
 * charset. Invalid bytes become U+FFFD, and an incomplete last character is omitted.
 */
export function responseText(kept: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // A `TextDecoder` in streaming mode omits an incomplete last character.
  return decoder.decode(kept, { stream: kept.length >= keptBytes });
}
