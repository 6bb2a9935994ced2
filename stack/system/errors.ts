/**
 * The error for a local server that could not be obtained, started or stopped. The message of a `StackError` tells the
 * user what to do.
 */
export class StackError extends Error {
  override readonly name: string = 'StackError';
}

/**
 * The error for a server that ended because another process listens on its port. The start of the server can be
 * repeated on another port.
 */
export class PortTakenError extends StackError {
  override readonly name = 'PortTakenError';
}

/** Whether a file system or process call failed with one of these codes (`ENOENT`, `EEXIST`, …). */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
