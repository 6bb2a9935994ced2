// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import { path } from '../../http/address.js';
import { List } from '../../paging/list.js';
import type { HttpClient } from '../../http/httpClient.js';
import type { RequestOptions } from '../../http/requestOptions.js';
import type { PageContent } from '../../paging/page.js';
import type { Attempt, AttemptStatus, DeliveryErrorCode } from '../types.js';

/** The parameters of the operation `listAttempts`. */
export interface ListAttemptsParameters {
  /** The maximum number of resources in a page. The default is `20`. */
  readonly limit?: number | undefined;
  /** Return the page of resources older than this id. */
  readonly startingAfter?: string | undefined;
  /** Return the page just before this id. */
  readonly endingBefore?: string | undefined;
  /** Return only attempts to deliver to this webhook. */
  readonly webhookId?: string | undefined;
  /** Return only attempts with this outcome. */
  readonly status?: AttemptStatus | undefined;
  /** Return only attempts whose response has this status code. */
  readonly statusCode?: number | undefined;
  /** Return only attempts that failed with this error. */
  readonly errorCode?: DeliveryErrorCode | undefined;
  /**
   * Return only events of this type, or of all types below a prefix such as `order.*`. Several types select
   * the events of any of them.
   */
  readonly type?: string | readonly string[] | undefined;
  /** Return only attempts that began at this time or later. */
  readonly createdGte?: string | Date | undefined;
  /** Return only attempts that began after this time. */
  readonly createdGt?: string | Date | undefined;
  /** Return only attempts that began at this time or earlier. */
  readonly createdLte?: string | Date | undefined;
  /** Return only attempts that began before this time. */
  readonly createdLt?: string | Date | undefined;
}

/** The operations of `postrider.attempts`. */
export class AttemptsResource {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * List all attempts.
   *
   * The requests to all webhooks of the account and mode, newest first. An attempt must match all filters. A
   * list by status code, error or type ends after about a second. If `searched` has a cursor, the next page
   * begins at the cursor. `responseBody` is the first 4 KiB of the response as UTF-8. Invalid bytes become
   * U+FFFD.
   *
   * This operation requires a full API key, or an API key with the scope `events:read`.
   */
  list(parameters: ListAttemptsParameters = {}, options: RequestOptions = {}): List<Attempt> {
    return new List({
      parameters: { ...parameters },
      cursorOf: (item) => item.id,
      read: async (query) =>
        (await this.#client.send({
          method: 'GET',
          path: path`/v1/attempts`,
          query,
          options,
        })) as PageContent<Attempt>,
    });
  }
}
