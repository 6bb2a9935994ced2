import { Argument, type Command } from 'commander';

import { completionScript, shells, type CompletedCommand } from '../developer/completion/scripts.js';
import { print } from '../terminal/output.js';

const help = `
Write the script to a file, and again after an update:

  bash  postrider completion bash > ~/.postrider-completion.bash
        echo 'source ~/.postrider-completion.bash' >> ~/.bashrc
  zsh   postrider completion zsh > ~/.postrider-completion.zsh
        echo 'source ~/.postrider-completion.zsh' >> ~/.zshrc
  fish  postrider completion fish > ~/.config/fish/completions/postrider.fish`;

/** @param program has all commands with their options */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', help)
    .action((shell: (typeof shells)[number]) => {
      print(completionScript(shell, commandsIn(program, [])));
    });
}

function commandsIn(command: Command, path: readonly string[]): readonly CompletedCommand[] {
  const options = command.options.flatMap(({ short, long, description }) =>
    // An option with two names has the first one in the place of its short form.
    [short, long].flatMap((flag) => (flag?.startsWith('--') === true ? [{ flag, description }] : [])),
  );
  const completed = {
    path,
    commands: command.commands.map((one) => ({ name: one.name(), description: one.description() })),
    options: [...options, { flag: '--help', description: 'display help for command' }],
  };
  return [completed, ...command.commands.flatMap((one) => commandsIn(one, [...path, one.name()]))];
}
