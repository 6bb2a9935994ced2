import process from 'node:process';
import { setFlagsFromString } from 'node:v8';

const optionName = '--heap-growing-percent';

/**
 * The option of V8 for how far the old generation grows before V8 collects all of it: to twice the live size. By
 * default V8 adapts this to the allocation rate. At a hundred events per second, a heap of 32 MB may then grow by 5 MB
 * only. A role then collects up to 16 times a minute. Under load a heap may triple, although few of its objects live.
 */
export const heapGrowthOption = `${optionName}=100`;

/**
 * Sets the growth of this process's heap, also if an operator has started the role without options. V8 reads this option
 * at each collection, so it can be set in a running process. The size of the young generation cannot.
 * @param options the options of the process: an operator's own value has priority
 */
export function limitHeapGrowth(options: readonly string[] = process.execArgv): void {
  if (!options.some((option) => option.startsWith(optionName))) {
    setFlagsFromString(heapGrowthOption);
  }
}
