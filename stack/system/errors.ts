/** A local server that could not be obtained, started or stopped. The message is meant for the user and says what to do. */
export class StackError extends Error {
  override readonly name: string = 'StackError';
}

/** A server that ended because something else listens on its port: worth another try on another port. */
export class PortTakenError extends StackError {
  override readonly name = 'PortTakenError';
}

/** Whether a file system or process call failed with this code (`ENOENT`, `EEXIST`, …). */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
