import { readFile } from 'node:fs/promises';

import { expect } from 'chai';
import { Command } from 'commander';

import { commandGroups } from '../../cli/commandGroups.js';

/** The command lines of the program in a page, without redirections and assignments. */
function linesIn(text: string): readonly (readonly string[])[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks
    .flatMap((block) => [...block.matchAll(/^(?:npx )?postrider ([^<>|\n]*)/gm)])
    .map(([, words = '']) =>
      [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
    );
}

/** The program, whose commands do nothing but parse their arguments. */
function createParser(addCommands: readonly ((program: Command) => void)[]): Command {
  const program = new Command('postrider').exitOverride().configureOutput({ writeErr: () => undefined });
  addCommands.forEach((add) => {
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
    const modules = commandGroups.flatMap((group) => group.modules);
    const addCommands = await Promise.all(modules.map(({ load }) => load()));
    for (const page of ['README.md', 'docs/commands.md']) {
      const lines = linesIn(await readFile(page, 'utf8'));
      expect(lines.length, page).to.be.greaterThan(2);
      for (const words of lines) {
        const parser = createParser(addCommands);
        expect(() => parser.parse(words, { from: 'user' }), words.join(' ')).not.to.throw();
      }
    }
  });
});
