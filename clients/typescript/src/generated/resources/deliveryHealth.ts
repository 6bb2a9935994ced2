// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import { path } from '../../http/address.js';
import type { HttpClient } from '../../http/httpClient.js';
import type { RequestOptions } from '../../http/requestOptions.js';
import type { DeliveryHealth } from '../types.js';

/** The parameters of the operation `retrieveDeliveryHealth`. */
export interface RetrieveDeliveryHealthParameters {
  /**
   * Count only the webhooks with this `tenantId`. `null` selects the webhooks without a tenant, and `*` the
   * webhooks of every tenant.
   */
  readonly tenantId?: string | null | undefined;
}

/** The operations of `postrider.deliveryHealth`. */
export class DeliveryHealthResource {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * Get the health of all webhooks.
   *
   * Returns the number of webhooks of the account and mode by state, and the number of their deliveries by
   * status. A deleted webhook is not counted, and its deliveries are not. The counts are exact as of `asOf`.
   * With `tenantId`, only the webhooks with this `tenantId` are counted.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:read`.
   */
  async retrieve(
    parameters: RetrieveDeliveryHealthParameters = {},
    options: RequestOptions = {},
  ): Promise<DeliveryHealth> {
    return (await this.#client.send({
      method: 'GET',
      path: path`/v1/delivery-health`,
      query: { ...parameters },
      options,
    })) as DeliveryHealth;
  }
}
