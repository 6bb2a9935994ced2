/** What went wrong, as a text for a log or a terminal, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The service cannot answer now but will again: a server is away, a queue is full, a read model is behind.
 * HTTP clients see 503 with `Retry-After`; consumers pause and try again.
 */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
  readonly retryAfterSeconds: number;

  constructor(message: string, options: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1;
  }
}

/** An append without an acknowledgement, of which a request was sent: its records may be in the log, now or later. */
export class UnknownOutcomeError extends UnavailableError {}

/** A read model has documents that another version of the program has written, and none that this one can read. */
export class OtherVersionError extends UnavailableError {}

/** Whether it is a fault of this program, which the same input causes again, and not of a server. */
export function isProgrammingError(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError ||
    error instanceof SyntaxError
  );
}
