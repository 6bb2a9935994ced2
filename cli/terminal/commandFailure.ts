/** A command that cannot do what was asked. Its message is the one line that the user reads. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
