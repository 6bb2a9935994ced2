import process from 'node:process';
import { setFlagsFromString } from 'node:v8';

import type { ProcessName } from './runRole.js';

const optionName = '--heap-growing-percent';

/**
 * The option of V8 for how far the old generation grows before V8 collects all of it: to three times its live size, or
 * to twice in the process of all roles. By default V8 adapts the growth to the allocation rate. At a hundred events per
 * second, a heap of 32 MB may then grow by 5 MB only. A role then made up to 16 full collections a minute, of 9 ms each,
 * and delayed events during each collection.
 */
export function heapGrowthOption(name: ProcessName): string {
  return `${optionName}=${name === 'all' ? 100 : 200}`;
}

/**
 * Sets the growth of this process's heap, also if an operator has started the role without options. V8 reads the option
 * at each collection, so it can be set in a running process. The size of the young generation cannot.
 * @param options the options of the process: an operator's own value has priority
 */
export function limitHeapGrowth(name: ProcessName, options: readonly string[] = process.execArgv): void {
  if (!options.some((option) => option.startsWith(optionName))) {
    setFlagsFromString(heapGrowthOption(name));
  }
}
