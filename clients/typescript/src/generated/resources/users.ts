// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import { path } from '../../http/address.js';
import { List } from '../../paging/list.js';
import type { HttpClient } from '../../http/httpClient.js';
import type { RequestOptions } from '../../http/requestOptions.js';
import type { PageContent } from '../../paging/page.js';
import type { User } from '../types.js';

/** The parameters of the operation `listUsers`. */
export interface ListUsersParameters {
  /** The maximum number of resources in a page. The default is `20`. */
  readonly limit?: number | undefined;
  /** Return the page of resources older than this id. */
  readonly startingAfter?: string | undefined;
  /** Return the page just before this id. */
  readonly endingBefore?: string | undefined;
}

/** The operations of `postrider.users`. */
export class UsersResource {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * List users.
   *
   * Returns the users of the account, newest first. `lastSignInAt` is at most a minute behind.
   *
   * This operation requires a full API key.
   */
  list(parameters: ListUsersParameters = {}, options: RequestOptions = {}): List<User> {
    return new List({
      parameters: { ...parameters },
      cursorOf: (item) => item.id,
      read: async (query) =>
        (await this.#client.send({
          method: 'GET',
          path: path`/v1/users`,
          query,
          options,
        })) as PageContent<User>,
    });
  }
}
