// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import { path } from '../../http/address.js';
import type { HttpClient } from '../../http/httpClient.js';
import type { RequestOptions } from '../../http/requestOptions.js';
import type { PortalSession } from '../types.js';

/** The operations of `postrider.portalSession`. */
export class PortalSessionResource {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * Retrieve the own portal session.
   *
   * Returns the tenant, the capabilities and the expiry of the portal token of this request.
   *
   * This operation requires a portal token, or an API key of a tenant.
   */
  async retrieve(options: RequestOptions = {}): Promise<PortalSession> {
    return (await this.#client.send({
      method: 'GET',
      path: path`/v1/portal-session`,
      options,
    })) as PortalSession;
  }
}
