import { fromBinary } from '../../../shared/store/client/binary.js';
import type { AttemptDocument } from '../../../shared/store/models/documents.js';
import { patternCondition } from '../../../shared/store/queries/eventTypes.js';
import { isApiError, missingResource } from '../../http/apiError.js';
import { createdWithin } from '../../http/filters.js';
import { jsonResponse, type HandlerResult } from '../../http/response.js';
import type { EventLookup } from '../events/eventLookup.js';
import { searchedJson } from '../events/representation.js';
import type { WebhookLookup } from '../webhooks/webhookLookup.js';
import { createAttemptNumbers, type AttemptNumbersDependencies } from './attemptNumbers.js';
import { createAttemptList, type AttemptListDependencies } from './listAttempts.js';
import type { AttemptHandlers } from './routes.js';

export interface AttemptHandlerDependencies extends AttemptListDependencies, AttemptNumbersDependencies {
  readonly attempts: AttemptListDependencies['attempts'] & AttemptNumbersDependencies['attempts'];
  readonly events: EventLookup;
  readonly webhooks: Pick<WebhookLookup, 'find'>;
}

/** The condition that lets MongoDB merge the ranges of both statuses in the order of the list. */
const anyStatus = { $in: ['succeeded', 'failed'] };

export function createAttemptHandlers(dependencies: AttemptHandlerDependencies): AttemptHandlers {
  const { events, webhooks } = dependencies;
  const listAttempts = createAttemptList(dependencies);
  const numbersOf = createAttemptNumbers(dependencies);
  const list = async (...request: Parameters<typeof listAttempts>): Promise<HandlerResult> => {
    const [owner] = request;
    const page = await listAttempts(...request);
    if (isApiError(page)) {
      return page;
    }
    const { items, hasMore, searched } = page;
    const numbers = await numbersOf(items, owner.accountId);
    const data = items.map((attempt) =>
      attemptRepresentation(attempt, numbers.get(attempt._id) ?? attempt.number),
    );
    return jsonResponse({ data, hasMore, ...(searched && { searched: searchedJson(searched) }) });
  };

  return {
    list: async ({ caller, query }) => {
      const { webhookId, status = anyStatus, statusCode, errorCode, type } = query;
      const others = {
        ...(statusCode !== undefined && { statusCode }),
        ...(errorCode !== undefined && { 'error.code': errorCode }),
        ...(type !== undefined && { $or: type.map((one) => ({ eventType: patternCondition(one) })) }),
      };
      const listed = webhookId === undefined ? {} : { webhookId };
      return list(caller, listed, { indexed: { status, ...createdWithin(query) }, others }, query);
    },

    ofEvent: async ({ caller, id, query }) => {
      if ((await events.find(caller, id)) === null) {
        return missingResource('event', id);
      }
      const { webhookId } = query;
      // An event has few attempts, so a page is one read.
      return list(caller, { eventId: id }, { indexed: webhookId === undefined ? {} : { webhookId } }, query);
    },

    ofWebhook: async ({ caller, id, query }) => {
      if ((await webhooks.find(caller, id)) === null) {
        return missingResource('webhook', id);
      }
      return list(caller, { webhookId: id }, { indexed: { status: query.status ?? anyStatus } }, query);
    },
  };
}

function attemptRepresentation(attempt: AttemptDocument, number: number) {
  const { error } = attempt;
  return {
    id: attempt._id,
    eventId: attempt.eventId,
    webhookId: attempt.webhookId,
    number,
    trigger: attempt.trigger,
    status: attempt.status,
    statusCode: attempt.statusCode,
    error: error === null ? null : { code: error.code, message: error.message },
    durationMs: attempt.durationMs,
    url: attempt.url,
    requestHeaders: attempt.requestHeaders && Object.fromEntries(attempt.requestHeaders),
    responseHeaders: attempt.responseHeaders && Object.fromEntries(attempt.responseHeaders),
    responseBody: responseText(fromBinary(attempt.responseBody)),
    responseTruncated: attempt.responseTruncated ?? false,
    requests: attempt.requests ?? 1,
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
