import { expect } from 'chai';
import { Command } from 'commander';

import { commandGroups } from '../../cli/commandGroups.js';
import { runCommand } from '../support/program.js';

describe('the commands in the help of the program', () => {
  it('are those that the modules add', async () => {
    for (const { commands, load } of commandGroups.flatMap(({ modules }) => modules)) {
      const program = new Command();
      (await load())(program);
      expect(program.commands.map((command) => command.name())).to.deep.equal(Object.keys(commands));
    }
  });
});

describe('the completion of a shell', () => {
  it('has the options of the commands for developers and for operators', async () => {
    const { stdout } = await runCommand({}, 'completion', 'bash');
    expect(stdout).to.match(/"events list"\) list=".*--json/);
    expect(stdout).to.match(/"dlq redrive"\) list=".*--reason/);
  });
});
