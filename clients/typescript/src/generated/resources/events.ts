// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import { path } from '../../http/address.js';
import { List } from '../../paging/list.js';
import { followStream } from '../../stream/followStream.js';
import type { HttpClient } from '../../http/httpClient.js';
import type { IdempotentRequestOptions, RawDataOptions, RequestOptions } from '../../http/requestOptions.js';
import type { DataAs } from '../../json/dataAs.js';
import type { PageContent } from '../../paging/page.js';
import type {
  Attempt,
  CreateEventBatchRequest,
  CreateEventRequest,
  DeliveryErrorCode,
  DeliveryStatus,
  Event,
  EventBatch,
  ListedEvent,
  ResendEventRequest,
} from '../types.js';

/** The parameters of the operation `streamEvents`. */
export interface StreamEventsParameters {
  /**
   * Return only events of this type, or of all types below a prefix such as `order.*`. Several types select
   * the events of any of them.
   */
  readonly types?: string | readonly string[] | undefined;
  /** Stream only events of this tenant. `null` selects the events without a tenant. */
  readonly tenantId?: string | null | undefined;
  /**
   * The event after which the stream begins, such as the last one that an earlier process has handled. The
   * events of the minute before it may come again. Without it, the stream has only new events.
   */
  readonly lastEventId?: string | undefined;
}

/** The parameters of the operation `listEvents`. */
export interface ListEventsParameters {
  /** The maximum number of resources in a page. The default is `20`. */
  readonly limit?: number | undefined;
  /** Return the page of resources older than this id. */
  readonly startingAfter?: string | undefined;
  /** Return the page just before this id. */
  readonly endingBefore?: string | undefined;
  /**
   * Return only events of this type, or of all types below a prefix such as `order.*`. Several types select
   * the events of any of them.
   */
  readonly type?: string | readonly string[] | undefined;
  /** Return only events that were created at this time or later. */
  readonly createdGte?: string | Date | undefined;
  /** Return only events that were created after this time. */
  readonly createdGt?: string | Date | undefined;
  /** Return only events that were created at this time or earlier. */
  readonly createdLte?: string | Date | undefined;
  /** Return only events that were created before this time. */
  readonly createdLt?: string | Date | undefined;
  /** Return only events with a delivery to this webhook. */
  readonly webhookId?: string | undefined;
  /**
   * Return only events with a delivery in this status, or in one of these statuses. If `webhookId` is set,
   * the delivery to that webhook must have one of them.
   */
  readonly deliveryStatus?: DeliveryStatus | readonly DeliveryStatus[] | undefined;
  /**
   * Return only events of this tenant. `null` selects the events without a tenant. If an account has many
   * events of tenants, a page for `null` may be short and have a cursor.
   */
  readonly tenantId?: string | null | undefined;
  /** Return the events without `data`. */
  readonly fields?: 'summary' | undefined;
  /**
   * Return only events that contain this text in the id or in the JSON text of `data`, in upper or lower
   * case. The search compares the characters of strings, not their escape sequences. It starts with the
   * newest event and ends after about a second, or when the page is full.
   */
  readonly search?: string | undefined;
  /** Return only events with a delivery whose last attempt got this status code. */
  readonly statusCode?: number | undefined;
  /**
   * Return only events whose `data` does not match the schema of their type (`invalid`), or whose check has
   * not ended (`unknown`).
   */
  readonly validation?: 'invalid' | 'unknown' | undefined;
  /**
   * Return only events with a delivery whose last attempt failed with this error, or that ended with this
   * error. One and the same delivery must pass all filters on deliveries.
   */
  readonly errorCode?: DeliveryErrorCode | undefined;
}

/** The parameters of the operation `listEventAttempts`. */
export interface ListEventAttemptsParameters {
  /** The maximum number of resources in a page. The default is `20`. */
  readonly limit?: number | undefined;
  /** Return the page of resources older than this id. */
  readonly startingAfter?: string | undefined;
  /** Return the page just before this id. */
  readonly endingBefore?: string | undefined;
  /** Return only attempts to deliver to this webhook. */
  readonly webhookId?: string | undefined;
}

/** The operations of `postrider.events`. */
export class EventsResource {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * Follow events.
   *
   * Gives each new event once, within about a second. A lost connection is replaced by another one, which
   * continues after the last event. The stream ends when the loop over it ends, or with `options.signal`. If
   * the service has to omit events, the loop throws a `StreamGapError`.
   *
   * This operation requires a full API key, or an API key with the scope `events:read`.
   */
  stream<Raw extends boolean = false>(
    parameters: StreamEventsParameters = {},
    options: RequestOptions & RawDataOptions<Raw> = {},
  ): AsyncGenerator<Event<DataAs<Raw>>, void> {
    return followStream(this.#client, {
      path: path`/v1/events/stream`,
      query: { type: parameters.types, tenantId: parameters.tenantId },
      rawPaths: [['data']],
      options,
      lastEventId: parameters.lastEventId,
    }) as AsyncGenerator<Event<DataAs<Raw>>, void>;
  }

  /**
   * Post an event.
   *
   * Records an event and delivers it to every active webhook with its type. A 201 response means that the
   * event is on all in-sync replicas of the log, and that a GET with its id returns the event. The API
   * returns `data` byte for byte as posted.
   *
   * This operation requires a full API key, or an API key with the scope `events:write`.
   */
  async create<Raw extends boolean = false>(
    body: CreateEventRequest,
    options: IdempotentRequestOptions & RawDataOptions<Raw> = {},
  ): Promise<Event<DataAs<Raw>>> {
    return (await this.#client.send({
      method: 'POST',
      path: path`/v1/events`,
      body,
      rawPaths: [['data']],
      options,
    })) as Event<DataAs<Raw>>;
  }

  /**
   * List events.
   *
   * Returns the events of the account and mode that match all filters, newest first. A search, and a list
   * with several filters, end after about a second. If `searched` has a cursor, the next page begins at the
   * cursor.
   *
   * This operation requires a full API key, or an API key with the scope `events:read`.
   */
  list<Raw extends boolean = false>(
    parameters: ListEventsParameters = {},
    options: RequestOptions & RawDataOptions<Raw> = {},
  ): List<ListedEvent<DataAs<Raw>>> {
    return new List({
      parameters: { ...parameters },
      cursorOf: (item) => item.id,
      read: async (query) =>
        (await this.#client.send({
          method: 'GET',
          path: path`/v1/events`,
          query,
          rawPaths: [['data', '*', 'data']],
          options,
        })) as PageContent<ListedEvent<DataAs<Raw>>>,
    });
  }

  /**
   * Post several events.
   *
   * Records 1 to 500 events. Each event succeeds or fails separately: `data` contains an event or an error
   * for each event, in the order of the request. An `idempotencyKey` prevents that a repeated event is
   * recorded again, in any batch. A batch counts as one request for every ten events, rounded up.
   *
   * This operation requires a full API key, or an API key with the scope `events:write`.
   */
  async createBatch<Raw extends boolean = false>(
    body: CreateEventBatchRequest,
    options: IdempotentRequestOptions & RawDataOptions<Raw> = {},
  ): Promise<EventBatch<DataAs<Raw>>> {
    return (await this.#client.send({
      method: 'POST',
      path: path`/v1/events/batch`,
      body,
      rawPaths: [['data', '*', 'event', 'data']],
      options,
    })) as EventBatch<DataAs<Raw>>;
  }

  /**
   * Retrieve an event.
   *
   * Returns an event with its deliveries.
   *
   * This operation requires a full API key, or an API key with the scope `events:read`.
   */
  async retrieve<Raw extends boolean = false>(
    id: string,
    options: RequestOptions & RawDataOptions<Raw> = {},
  ): Promise<Event<DataAs<Raw>>> {
    return (await this.#client.send({
      method: 'GET',
      path: path`/v1/events/${id}`,
      rawPaths: [['data']],
      options,
    })) as Event<DataAs<Raw>>;
  }

  /**
   * Deliver an event again.
   *
   * Restarts the retry schedule of deliveries of the event, in any status. A delivery becomes `pending`, is
   * attempted immediately, and is retried if the attempt fails. `webhookId` selects the delivery to one
   * webhook. Without `webhookId`, the request selects all deliveries to active webhooks. A resend joins a
   * restart that has not begun: several resends and replays of a delivery before its next attempt share that
   * attempt. If the deliveries of a new event are not known yet, the request waits up to two seconds, and
   * then returns `deliveries_unknown`.
   *
   * This operation requires a full API key, or an API key with the scope `events:write`.
   */
  async resend<Raw extends boolean = false>(
    id: string,
    body: ResendEventRequest = {},
    options: IdempotentRequestOptions & RawDataOptions<Raw> = {},
  ): Promise<Event<DataAs<Raw>>> {
    return (await this.#client.send({
      method: 'POST',
      path: path`/v1/events/${id}/resend`,
      body,
      rawPaths: [['data']],
      options,
    })) as Event<DataAs<Raw>>;
  }

  /**
   * List the attempts to deliver an event.
   *
   * Returns the attempts to deliver the event to its webhooks, newest first. `responseBody` is the first 4
   * KiB of the response as UTF-8. Invalid bytes become U+FFFD.
   *
   * This operation requires a full API key, or an API key with the scope `events:read`.
   */
  listAttempts(
    id: string,
    parameters: ListEventAttemptsParameters = {},
    options: RequestOptions = {},
  ): List<Attempt> {
    return new List({
      parameters: { ...parameters },
      cursorOf: (item) => item.id,
      read: async (query) =>
        (await this.#client.send({
          method: 'GET',
          path: path`/v1/events/${id}/attempts`,
          query,
          options,
        })) as PageContent<Attempt>,
    });
  }
}
