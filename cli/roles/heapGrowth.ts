import process from 'node:process';
import { setFlagsFromString } from 'node:v8';

const optionName = '--heap-growing-percent';

/**
 * By how many percent of its live size the old generation grows before V8 collects all of it. By default V8 adapts the
 * growth to the allocation rate. At a hundred events per second, a heap of 32 MB may then grow by 5 MB only, and a role
 * made up to 16 full collections a minute, of 9 ms each. With them the benchmark `steady` misses its p99 of 8 ms. No
 * bar of memory needs the setting.
 */
export const heapGrowthPercent = { role: 200, allRoles: 100 } as const;

export function heapGrowthOption(percent: number): string {
  return `${optionName}=${percent}`;
}

/**
 * Sets the growth of this process's heap, also if an operator has started the role without options. An operator's own
 * value has priority. V8 reads the option at each collection, so it can be set in a running process. The size of the
 * young generation cannot.
 */
export function limitHeapGrowth(percent: number): void {
  if (!process.execArgv.some((option) => option.startsWith(optionName))) {
    setFlagsFromString(heapGrowthOption(percent));
  }
}
