import { Command, InvalidArgumentError, Option } from 'commander';

import { nodeVersions, referenceNode } from './nodeProgram.js';
import type { Scenario } from './scenarios/scenario.js';

/** The options of the command line. */
export interface Options {
  readonly quick?: boolean;
  readonly only?: readonly string[];
  readonly pairs?: number;
  readonly against?: string;
  readonly node: string;
  readonly selfTest?: number;
  readonly backlog: number;
  readonly tenants: number;
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
  const program = new Command('npm run bench --').description(
    'Measure this service next to a bare pipeline of the same packages, on separate servers.',
  );
  [...measurementOptions(names), ...outputOptions()].forEach((option) => program.addOption(option));
  return program
    .addHelpText('after', `\nScenarios, each with 0.5 KiB of data per event:\n${descriptions.join('\n')}`)
    .showHelpAfterError('Run with --help to list the options.')
    .exitOverride()
    .action(action);
}

function measurementOptions(scenarios: readonly string[]): readonly Option[] {
  return [
    new Option(
      '--quick',
      'run some scenarios for less than a minute: this shows that they work, the figures mean little',
    ),
    new Option('--only <name...>', 'run only these scenarios, and show only them on a page').choices(
      scenarios,
    ),
    new Option(
      '--pairs <number>',
      'set the number of pairs of blocks of each scenario (default: 10, or 20 with --against, with exceptions)',
    ).argParser((text) => wholeNumber(text, 99)),
    new Option(
      '--against <git reference>',
      'compare the working tree with an earlier version of the service instead of the bare pipeline',
    ).conflicts(['page', 'pageFrom', 'quick']),
    new Option('--node <version>', 'run everything on this major version of Node')
      .choices(nodeVersions)
      .default(referenceNode),
    new Option(
      '--self-test [times]',
      'prove the benchmark: compare the service so often with itself, and then with a slower instance',
    )
      .preset('5')
      .argParser((text) => wholeNumber(text, 99))
      .conflicts(['page', 'pageFrom', 'only', 'against', 'quick']),
    new Option('--backlog <events>', 'set the number of pending events of the scenario backlog')
      .argParser((text) => wholeNumber(text, 10_000_000))
      .default(200_000),
    new Option(
      '--tenants <number>',
      'set the number of tenants of the scenario tenants, each with 3 webhooks',
    )
      .argParser((text) => wholeNumber(text, 1_000_000))
      .default(100_000),
    new Option('--profile <directory>', 'write CPU profiles of the measured processes'),
  ];
}

function outputOptions(): readonly Option[] {
  return [
    new Option('--json', 'print JSON instead of tables'),
    new Option('--output <file>', 'write the JSON to a file too, after each measurement'),
    new Option(
      '--page [directory]',
      `write a page with charts and the JSON to the directory (default: ${pageDirectory})`,
    ).preset(pageDirectory),
    new Option(
      '--page-from <file...>',
      'run nothing and read the results of earlier runs from files of --output or --page',
    ),
  ];
}

/** @throws InvalidArgumentError */
function wholeNumber(text: string, most: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > most) {
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${most}.`);
  }
  return number;
}
