/** The message of any thrown value, for a log or a terminal. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The error for a temporary failure: a server is unavailable, a queue is full, or a read model is behind. After an
 * `UnavailableError`, the API answers 503 with `Retry-After`, and consumers pause and retry.
 */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
  readonly retryAfterSeconds: number;

  constructor(message: string, options: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1;
  }
}

/**
 * The error for an append without an acknowledgement after its request was sent. The records of the append may be in
 * the log, now or later.
 */
export class UnknownOutcomeError extends UnavailableError {}

/** The error for a read that has exceeded its time limit. A read of fewer documents may succeed. */
export class TimeLimitError extends UnavailableError {}

/**
 * The error for a read model whose documents another version of the program has written. The running version cannot
 * read the documents.
 */
export class OtherVersionError extends UnavailableError {}

/**
 * Whether an error is a fault of this program. The same input causes a programming error again, but a fault of a server
 * is temporary.
 */
export function isProgrammingError(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError ||
    error instanceof SyntaxError
  );
}
