// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import { path } from '../../http/address.js';
import { List } from '../../paging/list.js';
import type { HttpClient } from '../../http/httpClient.js';
import type { RawDataOptions, RequestOptions } from '../../http/requestOptions.js';
import type { DataAs } from '../../json/dataAs.js';
import type { PageContent } from '../../paging/page.js';
import type {
  DeletedEventType,
  EventCatalog,
  EventType,
  EventTypeDryRun,
  EventTypeUsage,
  ListedEventType,
  PutEventTypeRequest,
} from '../types.js';

/** The parameters of the operation `listEventTypes`. */
export interface ListEventTypesParameters {
  /** The maximum number of resources in a page. The default is `20`. */
  readonly limit?: number | undefined;
  /** Return the page of resources older than this id. */
  readonly startingAfter?: string | undefined;
  /** Return the page just before this id. */
  readonly endingBefore?: string | undefined;
  /** With `summary`, the event types have neither `schema` nor `examples`. */
  readonly fields?: 'summary' | undefined;
  /** With `usage`, each event type has its events of the last seven days. */
  readonly include?: 'usage' | undefined;
}

/** The parameters of the operation `retrieveEventTypeUsage`. */
export interface RetrieveEventTypeUsageParameters {
  /** The number of days, of which today is the last. The default is `7`. */
  readonly days?: number | undefined;
}

/** The operations of `postrider.eventTypes`. */
export class EventTypesResource {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * Create or replace an event type.
   *
   * Replaces all fields of an event type, or creates it. A field that is left out gets its default. After the
   * response, the API checks posted events with the new schema. With `dryRun=true`, the request changes
   * nothing: it checks the newest 10,000 events of the type, and the response has status 200. An account has
   * at most 1,000 event types in each mode.
   *
   * This operation requires a full API key, or an API key with the scope `event-types:write`.
   */
  async put<Raw extends boolean = false>(
    name: string,
    body: PutEventTypeRequest,
    options: RequestOptions & RawDataOptions<Raw> = {},
  ): Promise<EventType<DataAs<Raw>>> {
    return (await this.#client.send({
      method: 'PUT',
      path: path`/v1/event-types/${name}`,
      body,
      rawPaths: [['examples', '*']],
      options,
    })) as EventType<DataAs<Raw>>;
  }

  /**
   * Create or replace an event type, as a dry run that changes nothing.
   *
   * Replaces all fields of an event type, or creates it. A field that is left out gets its default. After the
   * response, the API checks posted events with the new schema. With `dryRun=true`, the request changes
   * nothing: it checks the newest 10,000 events of the type, and the response has status 200. An account has
   * at most 1,000 event types in each mode.
   *
   * This operation requires a full API key, or an API key with the scope `event-types:write`.
   */
  async dryRun(
    name: string,
    body: PutEventTypeRequest,
    options: RequestOptions = {},
  ): Promise<EventTypeDryRun> {
    return (await this.#client.send({
      method: 'PUT',
      path: path`/v1/event-types/${name}`,
      query: { dryRun: true },
      body,
      options,
    })) as EventTypeDryRun;
  }

  /**
   * Retrieve an event type.
   *
   * Returns an event type. `schema` and `examples` are byte for byte as the client sent them.
   *
   * This operation requires a full API key, or an API key with the scope `event-types:read`.
   */
  async retrieve<Raw extends boolean = false>(
    name: string,
    options: RequestOptions & RawDataOptions<Raw> = {},
  ): Promise<EventType<DataAs<Raw>>> {
    return (await this.#client.send({
      method: 'GET',
      path: path`/v1/event-types/${name}`,
      rawPaths: [['examples', '*']],
      options,
    })) as EventType<DataAs<Raw>>;
  }

  /**
   * Delete an event type.
   *
   * Deletes an event type. Its events remain. After the response, the API does not check posted events of the
   * type.
   *
   * This operation requires a full API key, or an API key with the scope `event-types:write`.
   */
  async delete(name: string, options: RequestOptions = {}): Promise<DeletedEventType> {
    return (await this.#client.send({
      method: 'DELETE',
      path: path`/v1/event-types/${name}`,
      answerIfGone: { name, deleted: true },
      options,
    })) as DeletedEventType;
  }

  /**
   * List event types.
   *
   * Returns the event types of the account and mode, newest first. The cursor of the list is the `name` of an
   * event type. A page ends early if its schemas and examples exceed 1 MiB.
   *
   * This operation requires a full API key, or an API key with the scope `event-types:read`.
   */
  list<Raw extends boolean = false>(
    parameters: ListEventTypesParameters = {},
    options: RequestOptions & RawDataOptions<Raw> = {},
  ): List<ListedEventType<DataAs<Raw>>> {
    return new List({
      parameters: { ...parameters },
      cursorOf: (item) => item.name,
      read: async (query) =>
        (await this.#client.send({
          method: 'GET',
          path: path`/v1/event-types`,
          query,
          rawPaths: [['data', '*', 'examples', '*']],
          options,
        })) as PageContent<ListedEventType<DataAs<Raw>>>,
    });
  }

  /**
   * Retrieve the usage of an event type.
   *
   * Returns the number of events of each of the last days, oldest day first, and the time of the last event.
   * A count ends at 10,000 events of a day. `isAtLeast` marks such a count.
   *
   * This operation requires a full API key, or an API key with the scope `event-types:read`.
   */
  async usage(
    name: string,
    parameters: RetrieveEventTypeUsageParameters = {},
    options: RequestOptions = {},
  ): Promise<EventTypeUsage> {
    return (await this.#client.send({
      method: 'GET',
      path: path`/v1/event-types/${name}/usage`,
      query: { ...parameters },
      options,
    })) as EventTypeUsage;
  }

  /**
   * Retrieve the event catalog.
   *
   * Returns an OpenAPI 3.1 document for code generators. `webhooks` describes the request of each event type.
   * The document has at most 8 MiB. If it would be larger, the oldest event types have their schemas, and the
   * others only their names.
   *
   * This operation requires a full API key, or an API key with the scope `event-types:read`.
   */
  async catalog(options: RequestOptions = {}): Promise<EventCatalog> {
    return (await this.#client.send({
      method: 'GET',
      path: path`/v1/event-catalog.json`,
      options,
    })) as EventCatalog;
  }
}
