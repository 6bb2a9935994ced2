/** Live and test data never meet: each record, resource and key but the account itself belongs to one of them. */
export type Mode = 'live' | 'test';

/** Who made a change, as the audit log shows it. Never holds a secret. */
export interface Actor {
  readonly type: 'api_key' | 'user' | 'operator' | 'system';
  readonly id: string | null;
  /** Missing in records that are not sealed, where it is that of a person or a key. */
  readonly name: string | null;
}

/** Where a request came from, for the audit log. Both are personal data. */
export interface ClientTrace {
  /** An IPv4 address, or the /64 network of an IPv6 address. */
  readonly network: string;
  /** The beginning of the `User-Agent` header; null if there is none. */
  readonly userAgent: string | null;
}

/**
 * What every record of the log carries beside its type and value.
 * Folds take time and identity from here alone: no clock, no random number, no look-up.
 */
export interface RecordContext {
  /** The record's `ce_id`. Two records with one id are one fact, written twice. */
  readonly id: string;
  /** The record's key: the id of the event, webhook or account that it is about. */
  readonly key: string;
  readonly accountId: string;
  /** Null on records about an account as a whole. */
  readonly mode: Mode | null;
  readonly at: Date;
}

/** The value before and after a change of one field. */
export interface Change<Value> {
  readonly from: Value;
  readonly to: Value;
}
