import type { Appended, AppendingCommandRunner, Command } from '../../shared/commands/commandRunner.js';
import { UnknownOutcomeError } from '../../shared/core/errors.js';
import { CommandFailure } from '../terminal/output.js';

export interface ShownOnce<Result> {
  readonly command: Command<Result>;
  /** Shows the result, which no later command can show again. */
  readonly show: (result: Result) => void;
  /** A sentence that says how to find out whether the change was made, and what to do if it was not. */
  readonly ifUnknown: string;
}

/**
 * Runs a command whose result is shown once, and shows the result as soon as the log contains the change. So neither a
 * slow read model nor an impatient user loses a secret that the log has accepted. If it is unknown whether the log
 * contains the change, the result is shown too.
 * @throws CommandFailure after an append with an unknown outcome
 * @throws UnavailableError if the change was not made, and nothing was shown
 */
export async function showOnce<Result>(
  commands: Pick<AppendingCommandRunner, 'append'>,
  { command, show, ifUnknown }: ShownOnce<Result>,
): Promise<Pick<Appended<Result>, 'isReadable'>> {
  let decided: readonly Result[] = [];
  const decide = async () => {
    const decision = await command.decide();
    decided = [decision.result];
    return decision;
  };
  try {
    const { result, isReadable } = await commands.append({ ...command, decide });
    show(result);
    return { isReadable };
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) {
      throw error;
    }
    decided.forEach(show);
    throw new CommandFailure(`It is unknown whether the change was made: ${error.message}. ${ifUnknown}`);
  }
}
