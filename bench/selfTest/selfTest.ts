import { fileURLToPath } from 'node:url';

import type { Pipeline } from '../pipelines/pipeline.js';
import { startChild, type ChildHost, type ChildProcess } from '../processes/childProcess.js';
import type { Report } from '../results/result.js';
import { outcomeOfSame, outcomeOfSlower, type TestedComparison } from './outcome.js';

export interface SelfTestOptions {
  /** The number of comparisons of the service with itself. */
  readonly times: number;
  /** Compares the service with the other pipeline. It starts everything it needs, and stops it again. */
  readonly compareWith: (other: Pipeline) => Promise<Report>;
  /** A second instance of the service, with further options of Node. */
  readonly serviceWith: (nodeOptions: readonly string[]) => Pipeline;
  readonly startBursts: () => Promise<Pick<ChildProcess, 'stop'>>;
  readonly onOutcome: (outcome: TestedComparison) => void;
}

const slowDownShare = 0.03;
const microsecondsPerMs = 1000;

/**
 * The proof of the benchmark. It compares the service with itself while another program uses one core in bursts. It must find no
 * difference. Then it compares the service with an instance in which one function is slower by 3 % of the cost of an event. It must find
 * the difference.
 * @returns whether all comparisons have passed
 */
export async function runSelfTest(options: SelfTestOptions): Promise<boolean> {
  const { times, compareWith, serviceWith, startBursts, onOutcome } = options;
  const outcomes: TestedComparison[] = [];
  const add = (outcome: TestedComparison) => {
    outcomes.push(outcome);
    onOutcome(outcome);
  };
  const bursts = await startBursts();
  for (let time = 1; time <= times; time += 1) {
    add(outcomeOfSame(`same code, ${time} of ${times}`, await compareWith(serviceWith([]))));
  }
  await bursts.stop();
  const extra = (outcomes[0]?.costMs ?? 0) * slowDownShare * microsecondsPerMs;
  const report = await compareWith(serviceWith(['--import', slowDownBy(extra)]));
  add(outcomeOfSlower(`the other instance needs ${extra.toFixed(0)} µs more per event (3 %)`, report));
  return outcomes.every(({ passed }) => passed);
}

/** The URL of the module that slows a process down. */
function slowDownBy(microseconds: number): string {
  const url = new URL('./slowDownMain.js', import.meta.url);
  url.searchParams.set('microseconds', microseconds.toFixed(1));
  return url.href;
}

/** Starts a program that uses one core in bursts. */
export function startBursts(host: ChildHost): Promise<ChildProcess> {
  return startBurner('bursts', [], host);
}

/** Starts programs that each take all time of a core that they get. */
export function takeCores(cores: number, host: ChildHost): Promise<readonly ChildProcess[]> {
  return Promise.all(
    Array.from({ length: cores }, (_, core) => startBurner(`taken-core-${core}`, ['100', '0'], host)),
  );
}

function startBurner(name: string, args: readonly string[], host: ChildHost): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('./burstMain.js', import.meta.url));
  return startChild({ name, program, args }, host);
}
