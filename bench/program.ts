import { Command, InvalidArgumentError, Option } from 'commander';

import type { Scenario } from './scenarios/scenario.js';

/** The options of the command line. */
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
    .description('Measure this service next to a bare pipeline of the same packages, on separate servers.')
    .option(
      '--quick',
      'run some scenarios for less than a minute: this shows that they work, the figures mean little',
    )
    .addOption(new Option('--only <name...>', 'run only these scenarios').choices(names))
    .option(
      '--runs <number>',
      'set the number of runs of each scenario; figures are medians',
      (text) => wholeNumber(text, 99),
      1,
    )
    .option(
      '--backlog <events>',
      'set the number of pending events of the scenario backlog',
      (text) => wholeNumber(text, 10_000_000),
      500_000,
    )
    .option('--json', 'print JSON instead of tables')
    .option('--output <file>', 'write the JSON to a file too, after each measurement')
    .addOption(
      new Option(
        '--page [directory]',
        `write a page with charts and the JSON to the directory (default: ${pageDirectory})`,
      ).preset(pageDirectory),
    )
    .option(
      '--page-from <file...>',
      'run nothing and read the results of earlier runs from files of --output or --page',
    )
    .option('--profile <directory>', 'write CPU profiles of the measured processes')
    .addHelpText('after', `\nScenarios, each with 0.5 KiB of data per event:\n${descriptions.join('\n')}`)
    .showHelpAfterError('Run with --help to list the options.')
    .exitOverride()
    .action(action);
}

/** @throws InvalidArgumentError */
function wholeNumber(text: string, most: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > most) {
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${most}.`);
  }
  return number;
}
