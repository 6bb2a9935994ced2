/**
 * Live and test data are separate. Each record, resource and API key belongs to the live mode or the test mode. An
 * account has both modes.
 */
export type Mode = 'live' | 'test';

/** The actor of a change in the audit log. An actor never contains a secret. */
export interface Actor {
  readonly type: 'api_key' | 'user' | 'operator' | 'system';
  readonly id: string | null;
  /** The name of the actor. An unsealed record contains no name of a user or an API key. */
  readonly name: string | null;
}

/** The origin of a request, for the audit log. The network and the user agent are personal data. */
export interface ClientTrace {
  /** An IPv4 address, or the /64 network of an IPv6 address. */
  readonly network: string;
  /** The beginning of the `User-Agent` header; null if the request had no such header. */
  readonly userAgent: string | null;
}

/**
 * The context of every record, next to its type and value. Folds get time and identity from the record's context alone,
 * never from a clock, a random number or a lookup.
 */
export interface RecordContext {
  /** The record's `ce_id`. Two records with the same `ce_id` are duplicates of one fact. */
  readonly id: string;
  /** The record's key: the id of its event, webhook or account. */
  readonly key: string;
  readonly accountId: string;
  /** The mode of the record; null if the record concerns an account as a whole. */
  readonly mode: Mode | null;
  readonly at: Date;
  /**
   * The tenant of the event, or of the webhook that the record concerns: a tenant id, or `*` for a webhook of every
   * tenant. Missing or null without a tenant.
   */
  readonly tenantId?: string | null;
  /** The tenancy of the webhook that the record concerns; missing or null without a tenant. */
  readonly tenancy?: string | null;
  /** The offset of the event of a tenant that the record concerns; missing or null in other records. */
  readonly eventOffset?: number | null;
}

/** The value before and after a change of one field. */
export interface Change<Value> {
  readonly from: Value;
  readonly to: Value;
}
