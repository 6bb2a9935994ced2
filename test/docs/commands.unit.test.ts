import { readFile } from 'node:fs/promises';

import { expect } from 'chai';
import { Command } from 'commander';

import { addCompletionCommand } from '../../cli/commands/completion.js';
import { addDoctorCommand } from '../../cli/commands/doctor.js';
import { addEventCommands } from '../../cli/commands/events.js';
import { addListenCommand } from '../../cli/commands/listen.js';
import { addLoginCommand } from '../../cli/commands/login.js';
import { addReplayCommands } from '../../cli/commands/replays.js';
import { addSignatureCommands } from '../../cli/commands/signatures.js';
import { addTriggerCommand } from '../../cli/commands/trigger.js';
import { addWebhookCommands } from '../../cli/commands/webhooks.js';

const developerCommands = [
  addCompletionCommand,
  addDoctorCommand,
  addEventCommands,
  addListenCommand,
  addLoginCommand,
  addReplayCommands,
  addSignatureCommands,
  addTriggerCommand,
  addWebhookCommands,
];

/** The command lines of the developer commands in a page, without redirections and assignments. */
function linesIn(text: string): readonly (readonly string[])[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks
    .flatMap((block) => [...block.matchAll(/^(?:npx )?postrider ([^<>|\n]*)/gm)])
    .map(([, words = '']) =>
      [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
    );
}

/** The program, whose commands do nothing but parse their arguments. */
function parser(): Command {
  const program = new Command('postrider').exitOverride().configureOutput({ writeErr: () => undefined });
  developerCommands.forEach((add) => {
    add(program);
  });
  const disarm = (command: Command) => {
    command.exitOverride().configureOutput({ writeErr: () => undefined });
    if (command.commands.length === 0) {
      command.action(() => undefined);
    }
    command.commands.forEach(disarm);
  };
  program.commands.forEach(disarm);
  return program;
}

describe('the command lines in the documentation', () => {
  it('have commands, arguments and options that exist', async () => {
    for (const page of ['README.md', 'docs/commands.md']) {
      const lines = linesIn(await readFile(page, 'utf8'));
      const known = lines.filter(([name = '']) => !['stack', 'account'].includes(name));
      expect(known.length, page).to.be.greaterThan(2);
      for (const words of known) {
        expect(() => parser().parse(words, { from: 'user' }), words.join(' ')).not.to.throw();
      }
    }
  });
});
