import { expect } from 'chai';
import { Command } from 'commander';

import { commandGroups } from '../../cli/commandGroups.js';

describe('the commands in the help of the program', () => {
  it('are those that the modules add', async () => {
    for (const { commands, load } of commandGroups.flatMap(({ modules }) => modules)) {
      const program = new Command();
      (await load())(program);
      expect(program.commands.map((command) => command.name())).to.deep.equal(Object.keys(commands));
    }
  });
});
