/** The error of a command that cannot do its task. The user sees its message as one line. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
