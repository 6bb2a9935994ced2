// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import { path } from '../../http/address.js';
import { List } from '../../paging/list.js';
import type { HttpClient } from '../../http/httpClient.js';
import type { IdempotentRequestOptions, RequestOptions } from '../../http/requestOptions.js';
import type { PageContent } from '../../paging/page.js';
import type {
  CreatePortalSessionRequest,
  CreatedPortalSession,
  DeletedTenant,
  PutTenantRequest,
  RevokedPortalSessions,
  Tenant,
} from '../types.js';

/** The parameters of the operation `listTenants`. */
export interface ListTenantsParameters {
  /** The maximum number of resources in a page. The default is `20`. */
  readonly limit?: number | undefined;
  /** Return the page of resources older than this id. */
  readonly startingAfter?: string | undefined;
  /** Return the page just before this id. */
  readonly endingBefore?: string | undefined;
  /** A text that occurs in the id or the name, without regard to case. */
  readonly search?: string | undefined;
}

/** The operations of `postrider.tenants`. */
export class TenantsResource {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * Create or update a tenant.
   *
   * Creates a tenant, or changes its fields. A field that is left out stays unchanged, so a request with `{}`
   * ensures that the tenant exists. `null` and `{}` reset a field. The account chooses the id. The id must
   * not be personal data, because the log contains it in readable form.
   *
   * This operation requires a full API key, or an API key with the scope `tenants:write`.
   */
  async put(id: string, body: PutTenantRequest = {}, options: RequestOptions = {}): Promise<Tenant> {
    return (await this.#client.send({
      method: 'PUT',
      path: path`/v1/tenants/${id}`,
      body,
      options,
    })) as Tenant;
  }

  /**
   * Retrieve a tenant.
   *
   * Returns a tenant.
   *
   * This operation requires a full API key, or an API key with the scope `tenants:read`.
   */
  async retrieve(id: string, options: RequestOptions = {}): Promise<Tenant> {
    return (await this.#client.send({
      method: 'GET',
      path: path`/v1/tenants/${id}`,
      options,
    })) as Tenant;
  }

  /**
   * Delete a tenant.
   *
   * Deletes a tenant with its webhooks, events, attempts and replays. After the response, its webhooks get no
   * further requests. Open deliveries of its events are canceled with the error `tenant_deleted`. Its events
   * disappear from all lists, usually within seconds. A tenant with the same id can be created again at once,
   * and sees none of them.
   *
   * This operation requires a full API key, or an API key with the scope `tenants:write`.
   */
  async delete(id: string, options: RequestOptions = {}): Promise<DeletedTenant> {
    return (await this.#client.send({
      method: 'DELETE',
      path: path`/v1/tenants/${id}`,
      answerIfGone: { id, deleted: true },
      options,
    })) as DeletedTenant;
  }

  /**
   * List tenants.
   *
   * Returns the tenants of the account and mode, newest first. With `search`, the list contains only tenants
   * with this text in their id or name.
   *
   * This operation requires a full API key, or an API key with the scope `tenants:read`.
   */
  list(parameters: ListTenantsParameters = {}, options: RequestOptions = {}): List<Tenant> {
    return new List({
      parameters: { ...parameters },
      cursorOf: (item) => item.id,
      read: async (query) =>
        (await this.#client.send({
          method: 'GET',
          path: path`/v1/tenants`,
          query,
          options,
        })) as PageContent<Tenant>,
    });
  }

  /**
   * Open a portal session.
   *
   * Opens a session of the customer portal for one tenant, and returns its URL and token. Embed the URL in a
   * page of one of the origins in `portal.origins` of the account, or give it to the customer as a link. The
   * token is also a Bearer credential for the API, with 20 requests per second. A tenant has at most 1,000
   * sessions. Beyond that, the session that expires first ends.
   *
   * This operation requires a full API key, or an API key with the scope `tenants:write`.
   */
  async createPortalSession(
    id: string,
    body: CreatePortalSessionRequest = {},
    options: IdempotentRequestOptions = {},
  ): Promise<CreatedPortalSession> {
    return (await this.#client.send({
      method: 'POST',
      path: path`/v1/tenants/${id}/portal-sessions`,
      body,
      options,
    })) as CreatedPortalSession;
  }

  /**
   * End the portal sessions of a tenant.
   *
   * Ends all portal sessions of a tenant within a second, on every process.
   *
   * This operation requires a full API key, or an API key with the scope `tenants:write`.
   */
  async deletePortalSessions(id: string, options: RequestOptions = {}): Promise<RevokedPortalSessions> {
    return (await this.#client.send({
      method: 'DELETE',
      path: path`/v1/tenants/${id}/portal-sessions`,
      options,
    })) as RevokedPortalSessions;
  }
}
