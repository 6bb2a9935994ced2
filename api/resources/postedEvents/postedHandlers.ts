import { z } from 'zod';

import { apiError, isApiError, type ApiError } from '../../http/apiError.js';
import { errorCodes, isErrorCode, type ErrorCode } from '../../http/errorCodes.js';
import type { PostedItem } from '../../http/context.js';
import type { Owner } from '../../http/ownership.js';
import type { PostedEventsHandler, PostedEventsRequest } from './postedEventsRoute.js';
import type { AcceptedItem, ItemOutcome, PostEvents } from './postEvents.js';
import type { PostHandlers } from './postRoutes.js';
import { storedValidation } from './storedValidation.js';
import {
  eventBatchJson,
  eventJson,
  type PublicEvent,
  type PublicItemError,
} from '../events/representation.js';

/** The handlers of events that were read one by one. */
export function createPostHandlers(postEvents: PostEvents): PostHandlers {
  return {
    createBatch: createBatchHandler(postEvents),
    createCloudEvents: createCloudEventsHandler(postEvents),
  };
}

/** The handler of a batch. The response contains a result for each event, also if every event has failed. */
function createBatchHandler(postEvents: PostEvents): PostedEventsHandler {
  return {
    respond: async (request) => {
      const outcomes = await postEvents(request);
      return {
        content: contentOf(outcomes, request),
        storedContent: storedForm(outcomes),
        ...(outcomes.some(isRetryable) ? { isPartial: true } : {}),
      };
    },
    restore: (stored, request) => ({
      ...stored,
      content: contentOf(outcomesIn(stored.content), request),
    }),
  };
}

/** The status of a batch at the operation for a single event. */
const batchStatus = 200;

/** The handler of CloudEvents at the operation for a single event: one event, or a batch in the format of CloudEvents. */
function createCloudEventsHandler(postEvents: PostEvents): PostedEventsHandler {
  const batch = createBatchHandler(postEvents);
  const respondToOne: PostedEventsHandler['respond'] = async (request) => {
    const [outcome] = await postEvents(request);
    const [item] = request.items;
    if (outcome === undefined) {
      throw new Error('a CloudEvent has no result');
    }
    if (isApiError(outcome)) {
      return outcome;
    }
    const { id, isReplayed } = outcome;
    return {
      content: eventJson(acceptedEvent(outcome, item, request.caller)),
      headers: {
        Location: `/v1/events/${id}`,
        ...(isReplayed === true ? { 'Idempotent-Replayed': 'true' } : {}),
      },
    };
  };
  return {
    respond: async (request) => {
      if (!request.isBatch) {
        return respondToOne(request);
      }
      const result = await batch.respond(request);
      return isApiError(result) ? result : { ...result, status: batchStatus };
    },
    restore: (stored, request) => (request.isBatch ? batch.restore(stored, request) : stored),
  };
}

type BatchRequest = Pick<PostedEventsRequest, 'caller' | 'items'>;

function contentOf(outcomes: readonly ItemOutcome[], { caller, items }: BatchRequest): Buffer {
  return eventBatchJson(outcomes.map((outcome, at) => resultOf(outcome, items[at], caller)));
}

function resultOf(
  outcome: ItemOutcome,
  item: PostedItem | undefined,
  { mode }: BatchRequest['caller'],
): PublicEvent | PublicItemError {
  if (isApiError(outcome)) {
    return publicError(outcome);
  }
  return acceptedEvent(outcome, item, { mode });
}

function acceptedEvent(
  { id, created, validation }: AcceptedItem,
  item: PostedItem | undefined,
  { mode }: Pick<Owner, 'mode'>,
): PublicEvent {
  if (item === undefined || isApiError(item)) {
    throw new Error('an accepted event has no content');
  }
  const { type, data, tenantId = null } = item;
  const deliveriesComplete = mode === 'test';
  return { id, type, created, tenantId, data, deliveries: [], deliveriesComplete, validation, mode };
}

function publicError({ errorCode: code, message, param }: ApiError): PublicItemError {
  return { error: { type: errorCodes[code].type, code, message, param } };
}

function isRetryable(outcome: ItemOutcome): boolean {
  return isApiError(outcome) && errorCodes[outcome.errorCode].retryable;
}

/**
 * The stored form of the results of a batch. It contains no event, because the repeated request contains the events
 * again. A stored batch of 4 MiB would be larger than the log's records.
 */
function storedForm(outcomes: readonly ItemOutcome[]): string {
  return JSON.stringify(
    outcomes.map((outcome) =>
      isApiError(outcome)
        ? { refused: outcome.errorCode, message: outcome.message, param: outcome.param }
        : {
            id: outcome.id,
            created: outcome.created,
            ...(outcome.validation && { validation: outcome.validation }),
          },
    ),
  );
}

const storedOutcomes = z.array(
  z.union([
    z.strictObject({
      id: z.string(),
      created: z.coerce.date(),
      // Missing for an event that was not checked.
      validation: storedValidation.nullable().default(null),
    }),
    z.strictObject({
      refused: z.custom<ErrorCode>(isErrorCode),
      message: z.string(),
      param: z.string().nullable(),
    }),
  ]),
);

function outcomesIn(stored: string): readonly ItemOutcome[] {
  return storedOutcomes
    .parse(JSON.parse(stored))
    .map((outcome) =>
      'refused' in outcome
        ? apiError(outcome.refused, outcome.message, outcome.param === null ? {} : { param: outcome.param })
        : outcome,
    );
}
