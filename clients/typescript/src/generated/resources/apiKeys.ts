// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import { path } from '../../http/address.js';
import { List } from '../../paging/list.js';
import type { HttpClient } from '../../http/httpClient.js';
import type { IdempotentRequestOptions, RequestOptions } from '../../http/requestOptions.js';
import type { PageContent } from '../../paging/page.js';
import type { ApiKey, ApiKeyWithSecret, CreateApiKeyRequest, DeletedApiKey } from '../types.js';

/** The parameters of the operation `listApiKeys`. */
export interface ListApiKeysParameters {
  /** The maximum number of resources in a page. The default is `20`. */
  readonly limit?: number | undefined;
  /** Return the page of resources older than this id. */
  readonly startingAfter?: string | undefined;
  /** Return the page just before this id. */
  readonly endingBefore?: string | undefined;
  /** Return only API keys of this tenant, or with `null` only API keys of the account. */
  readonly tenantId?: string | null | undefined;
}

/** The operations of `postrider.apiKeys`. */
export class ApiKeysResource {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * Create an API key.
   *
   * Creates a full API key, or with `scopes` a key with scopes (plan Enterprise). The default `mode` is the
   * mode of the calling key. A test key can create only test keys. Only the response of this operation
   * contains the `secret`. The new key works within a second. An account has at most 100 keys in each mode.
   *
   * With `tenantId`, the key is for the backend of one tenant (any plan). It has all permissions of a portal
   * session of the tenant, posts events of the tenant, and has the rate limit of the plan. It manages neither
   * keys nor tenants. A tenant has at most 100 keys, which do not count for the account.
   *
   * This operation requires a full API key.
   */
  async create(body: CreateApiKeyRequest, options: IdempotentRequestOptions = {}): Promise<ApiKeyWithSecret> {
    return (await this.#client.send({
      method: 'POST',
      path: path`/v1/api-keys`,
      body,
      options,
    })) as ApiKeyWithSecret;
  }

  /**
   * List API keys.
   *
   * Returns the API keys of the account and of its tenants, newest first. A request with a live key returns
   * all keys, and a request with a test key only test keys. `lastUsedAt` is at most a minute behind.
   *
   * This operation requires a full API key.
   */
  list(parameters: ListApiKeysParameters = {}, options: RequestOptions = {}): List<ApiKey> {
    return new List({
      parameters: { ...parameters },
      cursorOf: (item) => item.id,
      read: async (query) =>
        (await this.#client.send({
          method: 'GET',
          path: path`/v1/api-keys`,
          query,
          options,
        })) as PageContent<ApiKey>,
    });
  }

  /**
   * Delete an API key.
   *
   * Deletes an API key of the account or of a tenant, which stops working within a second. The last unexpired
   * full key of a mode cannot be deleted, because no remaining key could create another key.
   *
   * This operation requires a full API key.
   */
  async delete(id: string, options: RequestOptions = {}): Promise<DeletedApiKey> {
    return (await this.#client.send({
      method: 'DELETE',
      path: path`/v1/api-keys/${id}`,
      answerIfGone: { id, deleted: true },
      options,
    })) as DeletedApiKey;
  }
}
