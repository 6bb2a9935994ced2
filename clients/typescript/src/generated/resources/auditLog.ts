// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import { path } from '../../http/address.js';
import { List } from '../../paging/list.js';
import type { HttpClient } from '../../http/httpClient.js';
import type { RequestOptions } from '../../http/requestOptions.js';
import type { PageContent } from '../../paging/page.js';
import type { AuditEntry, AuditResourceType } from '../types.js';

/** The parameters of the operation `listAuditLog`. */
export interface ListAuditLogParameters {
  /** The maximum number of resources in a page. The default is `20`. */
  readonly limit?: number | undefined;
  /** Return the page of resources older than this id. */
  readonly startingAfter?: string | undefined;
  /** Return the page just before this id. */
  readonly endingBefore?: string | undefined;
  /** Return only actions of this user or API key. */
  readonly actorId?: string | undefined;
  /** Return only this action, such as `webhook.updated`, or all actions of a pattern such as `webhook.*`. */
  readonly action?: string | undefined;
  /** Return only actions on resources of this type. */
  readonly resourceType?: AuditResourceType | undefined;
  /** Return only actions on this resource. */
  readonly resourceId?: string | undefined;
  /** Return only actions that happened at this time or later. */
  readonly createdGte?: string | Date | undefined;
  /** Return only actions that happened after this time. */
  readonly createdGt?: string | Date | undefined;
  /** Return only actions that happened at this time or earlier. */
  readonly createdLte?: string | Date | undefined;
  /** Return only actions that happened before this time. */
  readonly createdLt?: string | Date | undefined;
}

/** The operations of `postrider.auditLog`. */
export class AuditLogResource {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * List the audit log.
   *
   * Returns every change of the account, its users, its API keys and its webhooks, newest first. Each change
   * contains the old and the new value of each field. The audit log also contains sign-ins, failed sign-ins,
   * sign-outs, first and rejected uses of keys, resends, tests and replays. Failed sign-ins and rejected uses
   * have one entry for each combination of user or key, network, reason and hour. A live key sees all
   * entries. A test key sees the entries of test webhooks and test keys. An entry appears within about a
   * second after the response to the change. The actor of a webhook change is shown with the current or last
   * name. An entry must match all filters. A list with filters ends after about a second. If `searched` has a
   * cursor, the next page begins at the cursor.
   *
   * This operation requires a full API key.
   */
  list(parameters: ListAuditLogParameters = {}, options: RequestOptions = {}): List<AuditEntry> {
    return new List({
      parameters: { ...parameters },
      cursorOf: (item) => item.id,
      read: async (query) =>
        (await this.#client.send({
          method: 'GET',
          path: path`/v1/audit-log`,
          query,
          options,
        })) as PageContent<AuditEntry>,
    });
  }
}
