import process from 'node:process';

/** The exit code of a process that a signal ended is 128 and the signal's number. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Ends this process on SIGINT and SIGTERM. Linux ignores both for the first process of a container unless the process handles them.
 * @returns a function that removes the handlers
 */
export function endOnSignals(): () => void {
  const onSignal = (signal: keyof typeof exitCodes) => process.exit(exitCodes[signal]);
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
}
