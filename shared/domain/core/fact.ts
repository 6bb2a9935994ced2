/**
 * Live and test data are separate. Each record, resource and key belongs to one of the modes, except for the account
 * itself.
 */
export type Mode = 'live' | 'test';

/** The actor of a change in the audit log. It never contains a secret. */
export interface Actor {
  readonly type: 'api_key' | 'user' | 'operator' | 'system';
  readonly id: string | null;
  /** Missing in unsealed records if it is the name of a user or a key. */
  readonly name: string | null;
}

/** The origin of a request, for the audit log. Both fields are personal data. */
export interface ClientTrace {
  /** An IPv4 address, or the /64 network of an IPv6 address. */
  readonly network: string;
  /** The beginning of the `User-Agent` header; null if there is none. */
  readonly userAgent: string | null;
}

/**
 * The context of every record, next to its type and value. Folds use no other source of time and identity: no clock, no
 * random number, and no lookup.
 */
export interface RecordContext {
  /** The record's `ce_id`. Two records with one id are one fact, appended twice. */
  readonly id: string;
  /** The record's key: the id of its event, webhook or account. */
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
