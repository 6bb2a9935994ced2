// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import { path } from '../../http/address.js';
import { List } from '../../paging/list.js';
import type { HttpClient } from '../../http/httpClient.js';
import type { IdempotentRequestOptions, RequestOptions } from '../../http/requestOptions.js';
import type { PageContent } from '../../paging/page.js';
import type {
  Attempt,
  AttemptStatus,
  CreateWebhookRequest,
  DeletedWebhook,
  PreviewWebhookRequest,
  RotateWebhookSecretRequest,
  TestDelivery,
  TestWebhookRequest,
  UpdateWebhookRequest,
  Webhook,
  WebhookHealth,
  WebhookPreview,
  WebhookStatus,
  WebhookWithSecret,
} from '../types.js';

/** The parameters of the operation `listWebhooks`. */
export interface ListWebhooksParameters {
  /** The maximum number of resources in a page. The default is `100`. */
  readonly limit?: number | undefined;
  /** Return the page of resources older than this id. */
  readonly startingAfter?: string | undefined;
  /** Return the page just before this id. */
  readonly endingBefore?: string | undefined;
  /** Return only webhooks with this status. */
  readonly status?: WebhookStatus | undefined;
  /** With `health`, each webhook has the field `health`. */
  readonly include?: 'health' | undefined;
  /**
   * Return only webhooks with this `tenantId`. `null` selects the webhooks without a tenant, and `*` the
   * webhooks of every tenant.
   */
  readonly tenantId?: string | null | undefined;
}

/** The parameters of the operation `listWebhookAttempts`. */
export interface ListWebhookAttemptsParameters {
  /** The maximum number of resources in a page. The default is `20`. */
  readonly limit?: number | undefined;
  /** Return the page of resources older than this id. */
  readonly startingAfter?: string | undefined;
  /** Return the page just before this id. */
  readonly endingBefore?: string | undefined;
  /** Return only attempts with this outcome. */
  readonly status?: AttemptStatus | undefined;
}

/** The operations of `postrider.webhooks`. */
export class WebhooksResource {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * List webhooks.
   *
   * Returns the webhooks of the account and mode, newest first.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:read`.
   */
  list(parameters: ListWebhooksParameters = {}, options: RequestOptions = {}): List<Webhook> {
    return new List({
      parameters: { ...parameters },
      cursorOf: (item) => item.id,
      read: async (query) =>
        (await this.#client.send({
          method: 'GET',
          path: path`/v1/webhooks`,
          query,
          options,
        })) as PageContent<Webhook>,
    });
  }

  /**
   * Create a webhook.
   *
   * Creates a webhook for events of the given types. A single `*` means all types. The webhook receives every
   * matching event that is posted after the response. The `secret` signs the deliveries of the webhook. Only
   * the response of this operation contains the `secret`. A webhook that moves here from another system keeps
   * its secret if the request contains it.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:write`.
   */
  async create(
    body: CreateWebhookRequest,
    options: IdempotentRequestOptions = {},
  ): Promise<WebhookWithSecret> {
    return (await this.#client.send({
      method: 'POST',
      path: path`/v1/webhooks`,
      body,
      options,
    })) as WebhookWithSecret;
  }

  /**
   * Retrieve a webhook.
   *
   * Returns a webhook without its secret.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:read`.
   */
  async retrieve(id: string, options: RequestOptions = {}): Promise<Webhook> {
    return (await this.#client.send({
      method: 'GET',
      path: path`/v1/webhooks/${id}`,
      options,
    })) as Webhook;
  }

  /**
   * Change a webhook.
   *
   * Changes the given fields of a webhook. A `description` of null removes the description, and an option of
   * null removes the option. After the response to the status `disabled`, the service sends no request to the
   * webhook, and scheduled deliveries end as `canceled`. The status `active` enables the webhook, also if the
   * service has disabled the webhook. Outcomes of requests to an earlier `url`, or with earlier `headers`, do
   * not disable the webhook, and scheduled deliveries go to the new one.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:write`.
   */
  async update(id: string, body: UpdateWebhookRequest, options: RequestOptions = {}): Promise<Webhook> {
    return (await this.#client.send({
      method: 'PATCH',
      path: path`/v1/webhooks/${id}`,
      body,
      options,
    })) as Webhook;
  }

  /**
   * Delete a webhook.
   *
   * Deletes a webhook. After the response, no delivery to the webhook makes its first attempt. Scheduled
   * deliveries of the webhook end as `canceled`.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:write`.
   */
  async delete(id: string, options: RequestOptions = {}): Promise<DeletedWebhook> {
    return (await this.#client.send({
      method: 'DELETE',
      path: path`/v1/webhooks/${id}`,
      answerIfGone: { id, deleted: true },
      options,
    })) as DeletedWebhook;
  }

  /**
   * Rotate the secret of a webhook.
   *
   * Creates a new `secret` for a webhook, or uses that of the request. Only the response of this operation
   * contains the `secret`. The old secret also signs deliveries for `expiresIn` seconds, so that the receiver
   * can change its secret. The default of `expiresIn` is a day, and the maximum is a week. With 0, as after a
   * leak, only the new secret signs from then on: the secrets of earlier rotations end too. If a webhook has
   * more than ten secrets, the oldest secret expires early.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:write`.
   */
  async rotateSecret(
    id: string,
    body: RotateWebhookSecretRequest = {},
    options: IdempotentRequestOptions = {},
  ): Promise<WebhookWithSecret> {
    return (await this.#client.send({
      method: 'POST',
      path: path`/v1/webhooks/${id}/rotate-secret`,
      body,
      options,
    })) as WebhookWithSecret;
  }

  /**
   * Send a test delivery to a webhook.
   *
   * Posts an event for this webhook only, regardless of its event types. The test delivery has one attempt
   * and no retries. The list of events contains the test event, and its attempts show the response of the
   * webhook. The webhook receives `data` byte for byte as posted.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:write`.
   */
  async test(
    id: string,
    body: TestWebhookRequest = {},
    options: IdempotentRequestOptions = {},
  ): Promise<TestDelivery> {
    return (await this.#client.send({
      method: 'POST',
      path: path`/v1/webhooks/${id}/test`,
      body,
      options,
    })) as TestDelivery;
  }

  /**
   * Get the health of a webhook.
   *
   * Returns the number of deliveries of a webhook by status, their errors, and the times of the last
   * attempts. The counts are exact as of `asOf`, for any number of events. If a count is unknown, the
   * response is 503.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:read`.
   */
  async health(id: string, options: RequestOptions = {}): Promise<WebhookHealth> {
    return (await this.#client.send({
      method: 'GET',
      path: path`/v1/webhooks/${id}/health`,
      options,
    })) as WebhookHealth;
  }

  /**
   * Preview what a webhook receives.
   *
   * Sends nothing, and changes nothing. With `eventId`, or with `type` and `data` of a made-up event, the
   * response says whether the webhook gets this event, and shows the request. With `since`, a filter is tried
   * on the newest 10,000 events of the types and the tenant of the webhook.
   *
   * This operation requires a full API key, or an API key with the scopes `webhooks:read` and `events:read`.
   */
  async preview(
    id: string,
    body: PreviewWebhookRequest,
    options: IdempotentRequestOptions = {},
  ): Promise<WebhookPreview> {
    return (await this.#client.send({
      method: 'POST',
      path: path`/v1/webhooks/${id}/preview`,
      body,
      options,
    })) as WebhookPreview;
  }

  /**
   * List the attempts to deliver to a webhook.
   *
   * Returns the attempts to deliver events to the webhook, newest first. `responseBody` is the first 4 KiB of
   * the response as UTF-8. Invalid bytes become U+FFFD.
   *
   * This operation requires a full API key, or an API key with the scope `webhooks:read`.
   */
  listAttempts(
    id: string,
    parameters: ListWebhookAttemptsParameters = {},
    options: RequestOptions = {},
  ): List<Attempt> {
    return new List({
      parameters: { ...parameters },
      cursorOf: (item) => item.id,
      read: async (query) =>
        (await this.#client.send({
          method: 'GET',
          path: path`/v1/webhooks/${id}/attempts`,
          query,
          options,
        })) as PageContent<Attempt>,
    });
  }
}
