import { Command, InvalidArgumentError, Option } from 'commander';

import type { Scenario } from './scenarios/scenario.js';

/** The options of the command line. */
export interface Options {
  readonly quick?: boolean;
  readonly only?: readonly string[];
  readonly pairs?: number;
  readonly against?: string;
  readonly output?: string;
  readonly docs?: boolean;
  readonly from?: string;
}

const nameWidth = 12;
const mostPairs = 99;

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
      'shorten everything to a few minutes: this shows that it works, the figures mean little',
    )
    .addOption(new Option('--only <name...>', 'run only these scenarios').choices(names))
    .option('--pairs <number>', 'set the number of pairs of blocks, of scenarios that have several', pairsIn)
    .option(
      '--against <git reference>',
      'compare with an earlier version of the service instead of the bare pipeline',
    )
    .option('--output <file>', 'write the JSON to a file, after each measurement')
    .addOption(
      new Option(
        '--docs',
        'write docs/benchmarks/results.json, and its table in docs/benchmarks/README.md',
      ).conflicts(['quick', 'only', 'against']),
    )
    .addOption(
      new Option('--from <file>', 'run nothing, and show the JSON of an earlier run').conflicts([
        'quick',
        'pairs',
        'against',
        'output',
      ]),
    )
    .addHelpText('after', `\nScenarios, each with 0.5 KiB of data per event:\n${descriptions.join('\n')}`)
    .showHelpAfterError('Run with --help to list the options.')
    .exitOverride()
    .action(action);
}

/** @throws InvalidArgumentError */
function pairsIn(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > mostPairs) {
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${mostPairs}.`);
  }
  return number;
}
