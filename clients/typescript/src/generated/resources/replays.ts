// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import { path } from '../../http/address.js';
import { List } from '../../paging/list.js';
import type { HttpClient } from '../../http/httpClient.js';
import type { IdempotentRequestOptions, RequestOptions } from '../../http/requestOptions.js';
import type { PageContent } from '../../paging/page.js';
import type { CreateReplayRequest, Replay, ReplayDryRun } from '../types.js';

/** The parameters of the operation `listReplays`. */
export interface ListReplaysParameters {
  /** The maximum number of resources in a page. The default is `20`. */
  readonly limit?: number | undefined;
  /** Return the page of resources older than this id. */
  readonly startingAfter?: string | undefined;
  /** Return the page just before this id. */
  readonly endingBefore?: string | undefined;
  /** Only the replays of this webhook. */
  readonly webhookId?: string | undefined;
}

/** The operations of `postrider.replays`. */
export class ReplaysResource {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * Replay events.
   *
   * Restarts the retry schedule of each selected delivery to the webhook, oldest event first. Failed
   * deliveries of a replay are retried as usual. New events have priority over a replay. The replay is
   * `completed` when each of its deliveries was attempted or has ended. After that, `done` and `failed`
   * continue to count. A request with `dryRun` only counts the matching events, also for a disabled webhook.
   * A request with `eventIds` replays these events instead of a time range.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:write`.
   */
  async create(body: CreateReplayRequest, options: IdempotentRequestOptions = {}): Promise<Replay> {
    return (await this.#client.send({
      method: 'POST',
      path: path`/v1/replays`,
      body,
      options,
    })) as Replay;
  }

  /**
   * Replay events, as a dry run that changes nothing.
   *
   * Restarts the retry schedule of each selected delivery to the webhook, oldest event first. Failed
   * deliveries of a replay are retried as usual. New events have priority over a replay. The replay is
   * `completed` when each of its deliveries was attempted or has ended. After that, `done` and `failed`
   * continue to count. A request with `dryRun` only counts the matching events, also for a disabled webhook.
   * A request with `eventIds` replays these events instead of a time range.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:write`.
   */
  async dryRun(body: CreateReplayRequest, options: IdempotentRequestOptions = {}): Promise<ReplayDryRun> {
    return (await this.#client.send({
      method: 'POST',
      path: path`/v1/replays`,
      body: { ...body, dryRun: true },
      options,
    })) as ReplayDryRun;
  }

  /**
   * List replays.
   *
   * Returns the replays of the account and mode, or those of one webhook, newest first.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:read`.
   */
  list(parameters: ListReplaysParameters = {}, options: RequestOptions = {}): List<Replay> {
    return new List({
      parameters: { ...parameters },
      cursorOf: (item) => item.id,
      read: async (query) =>
        (await this.#client.send({
          method: 'GET',
          path: path`/v1/replays`,
          query,
          options,
        })) as PageContent<Replay>,
    });
  }

  /**
   * Retrieve a replay.
   *
   * Returns a replay with its progress.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:read`.
   */
  async retrieve(id: string, options: RequestOptions = {}): Promise<Replay> {
    return (await this.#client.send({
      method: 'GET',
      path: path`/v1/replays/${id}`,
      options,
    })) as Replay;
  }

  /**
   * Cancel a replay.
   *
   * Stops a replay within two seconds. Deliveries that were not attempted end as `canceled` with the error
   * `replay_canceled`, or get the status back that they had before the replay. Attempted deliveries continue,
   * including their retries. The request has no effect on a finished replay: each delivery of a completed
   * replay was attempted or has ended.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:write`.
   */
  async cancel(id: string, options: IdempotentRequestOptions = {}): Promise<Replay> {
    return (await this.#client.send({
      method: 'POST',
      path: path`/v1/replays/${id}/cancel`,
      options,
    })) as Replay;
  }
}
