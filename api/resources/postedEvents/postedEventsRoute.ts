import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import { isApiError } from '../../http/apiError.js';
import type { PostedItem } from '../../http/context.js';
import { requestedTenant, type Owner } from '../../http/ownership.js';
import type { HandlerResult, HttpResponse, StoredResponse } from '../../http/response.js';
import { noQuery, type Route } from '../../http/route.js';
import { validateQuery } from '../../http/validation.js';

export interface PostedEventsRequest {
  readonly caller: Owner;
  readonly items: readonly PostedItem[];
  /** Whether the response contains a result for each event. */
  readonly isBatch: boolean;
  readonly identity: RequestIdentity;
  /** The time of `performance.now()` at which the request was complete. The waits of a request count from it. */
  readonly receivedAt: number;
}

/** The handler of events that were read one by one. */
export interface PostedEventsHandler {
  readonly respond: (request: PostedEventsRequest) => Promise<HandlerResult>;
  /** Completes a stored response from the events of the repeated request. */
  readonly restore: (
    stored: StoredResponse,
    request: Omit<PostedEventsRequest, 'identity' | 'receivedAt'>,
  ) => HttpResponse;
}

/** Responds to requests of authenticated callers whose events were read one by one. */
export function respondToPosted(handle: PostedEventsHandler): Route['respond'] {
  return async ({ caller, query: givenQuery, posted, runOnce }) => {
    const receivedAt = performance.now();
    if (caller === null || posted === null) {
      throw new Error('a route of events was reached without a caller or without events');
    }
    const query = validateQuery(noQuery, givenQuery);
    if (isApiError(query)) {
      return query;
    }
    const { items: given, isBatch } = posted;
    if (isApiError(given)) {
      return given;
    }
    const items = caller.tenant === null ? given : given.map((item) => ofTenant(caller, item));
    return runOnce(
      caller,
      (identity) => handle.respond({ caller, items, isBatch, identity, receivedAt }),
      (stored) => handle.restore(stored, { caller, items, isBatch }),
    );
  };
}

/** An event of a tenant caller, or its error if it names another tenant. */
function ofTenant(caller: Owner, item: PostedItem): PostedItem {
  if (isApiError(item)) {
    return item;
  }
  const requested = requestedTenant(caller, item.tenantId, item.tenantPlace);
  return isApiError(requested) ? requested : { ...item, ...requested };
}
