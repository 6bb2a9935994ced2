/** The error of a command that cannot do its task. The program prints the error's message as one line. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
