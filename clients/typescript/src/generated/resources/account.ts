// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import { path } from '../../http/address.js';
import type { HttpClient } from '../../http/httpClient.js';
import type { RequestOptions } from '../../http/requestOptions.js';
import type { Account, UpdateAccountRequest } from '../types.js';

/** The operations of `postrider.account`. */
export class AccountResource {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * Retrieve the account.
   *
   * Returns the plan, the limits and the usage of the account of the API key or session. This operation
   * requires a key with any read scope, or a session.
   *
   * This operation requires a full API key.
   */
  async retrieve(options: RequestOptions = {}): Promise<Account> {
    return (await this.#client.send({
      method: 'GET',
      path: path`/v1/account`,
      options,
    })) as Account;
  }

  /**
   * Change the settings of the account.
   *
   * Changes the appearance of the customer portal, and the origins of the pages that may embed it. A field of
   * `portal` that is left out does not change. A change of the origins takes effect within a second. This
   * operation requires an owner, or a full live key.
   *
   * This operation requires a full API key.
   */
  async update(body: UpdateAccountRequest, options: RequestOptions = {}): Promise<Account> {
    return (await this.#client.send({
      method: 'PATCH',
      path: path`/v1/account`,
      body,
      options,
    })) as Account;
  }
}
