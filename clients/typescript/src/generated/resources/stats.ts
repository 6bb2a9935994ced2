// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import { path } from '../../http/address.js';
import type { HttpClient } from '../../http/httpClient.js';
import type { RequestOptions } from '../../http/requestOptions.js';
import type { DeliveryStatsList } from '../types.js';

/** The parameters of the operation `retrieveDeliveryStats`. */
export interface RetrieveDeliveryStatsParameters {
  /**
   * The start of the time range. The default is an hour, 24 hours or 30 days before `to`, depending on
   * `bucket`.
   */
  readonly from?: string | Date | undefined;
  /** The exclusive end of the time range. The default is the time of the request. */
  readonly to?: string | Date | undefined;
  /** The length of a bucket. Minutes, hours and days start in UTC. The default is `"hour"`. */
  readonly bucket?: 'minute' | 'hour' | 'day' | undefined;
  /** Return only the statistics of this webhook. */
  readonly webhookId?: string | undefined;
  /**
   * Return only the statistics of this tenant. `null` selects the events without a tenant, and the attempts
   * of webhooks without a tenant.
   */
  readonly tenantId?: string | null | undefined;
}

/** The operations of `postrider.stats`. */
export class StatsResource {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * Get delivery statistics.
   *
   * Returns statistics in at most 1,500 buckets of time, oldest first, including empty buckets. `events`
   * counts the accepted events. With `webhookId`, `events` counts the events with a first attempt in the
   * bucket. With `tenantId`, `events` counts the events of the tenant, and attempts are those of its
   * webhooks. `succeeded` and `failed` count the attempts that started in the bucket. `byStatusCode` counts
   * the attempts by the status of the response, with `none` for attempts without a response. The percentiles
   * are durations of the attempts with an error of at most 5 %, or null without attempts. The statistics may
   * lag by a second.
   *
   * This operation requires a full API key, or an API key with the scope `events:read`.
   */
  async deliveries(
    parameters: RetrieveDeliveryStatsParameters = {},
    options: RequestOptions = {},
  ): Promise<DeliveryStatsList> {
    return (await this.#client.send({
      method: 'GET',
      path: path`/v1/stats/deliveries`,
      query: { ...parameters },
      options,
    })) as DeliveryStatsList;
  }
}
