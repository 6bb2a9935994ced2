import { Command, InvalidArgumentError, Option } from 'commander';

import type { Scenario } from './scenarios/scenario.js';

/** What the benchmark is asked for on its command line. */
export interface Options {
  readonly quick?: boolean;
  readonly only?: readonly string[];
  readonly runs: number;
  readonly backlog: number;
  readonly json?: boolean;
  readonly output?: string;
  readonly page?: string;
  readonly pageFrom?: readonly string[];
  readonly profile?: string;
}

const pageDirectory = 'docs/benchmarks';
const nameWidth = 15;

export function createProgram(
  scenarios: readonly Scenario[],
  action: (options: Options) => Promise<void>,
): Command {
  const names = scenarios.map(({ name }) => name);
  const descriptions = scenarios.map(({ name, description }) => `  ${name.padEnd(nameWidth)}${description}`);
  return new Command('npm run bench --')
    .description('Measures this service beside a bare pipeline of the same packages, on servers of its own.')
    .option(
      '--quick',
      'less than a minute, with some of the scenarios: shows that it works, its figures mean little',
    )
    .addOption(new Option('--only <name...>', 'these scenarios alone').choices(names))
    .option(
      '--runs <number>',
      'how often each scenario is run; figures are medians',
      (text) => wholeNumber(text, 99),
      1,
    )
    .option(
      '--backlog <events>',
      'how many wait after the outage in the scenario of that name',
      (text) => wholeNumber(text, 10_000_000),
      500_000,
    )
    .option('--json', 'print JSON in place of tables')
    .option('--output <file>', 'write the JSON to a file too, after each measurement')
    .addOption(
      new Option(
        '--page [directory]',
        `write a page with plots and the JSON there (${pageDirectory} if none is named)`,
      ).preset(pageDirectory),
    )
    .option(
      '--page-from <file...>',
      'run nothing: take what earlier runs have written with --output or --page',
    )
    .option('--profile <directory>', 'keep CPU profiles of the measured processes')
    .addHelpText('after', `\nScenarios, each with 0.5 KiB of data an event:\n${descriptions.join('\n')}`)
    .showHelpAfterError('Run it with --help to see what it takes.')
    .exitOverride()
    .action(action);
}

/** @throws InvalidArgumentError */
function wholeNumber(text: string, most: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > most) {
    throw new InvalidArgumentError(`It is a whole number from 1 to ${most}.`);
  }
  return number;
}
