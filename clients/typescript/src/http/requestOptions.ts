/** Options that every method takes. */
export interface RequestOptions {
  /** Ends the call, and its retries, when it is aborted. The call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The time limit of each attempt in milliseconds, the body of the response included. That of a stream counts until its
   * response begins.
   */
  readonly timeout?: number | undefined;
  /** How often the request is repeated after a temporary failure. */
  readonly maxRetries?: number | undefined;
}

/** Options of methods that send an idempotency key. */
export interface IdempotentRequestOptions extends RequestOptions {
  /**
   * The key under which the request takes effect once. By default each call has a new key, which its retries share. Pass
   * one of your own to repeat the call later, also from another process: 1 to 255 printable ASCII characters.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of methods whose response contains the data of events. */
export interface RawDataOptions<Raw extends boolean> {
  /** Whether `data` is a `RawJson`, which has all digits of large numbers, instead of an object. */
  readonly rawData?: Raw | undefined;
}
