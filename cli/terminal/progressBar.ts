import process from 'node:process';

import { Presets, SingleBar } from 'cli-progress';

export interface ProgressBar {
  /**
   * Shows the progress of a command.
   * @param done the finished part of `total`, in the unit that the label names
   */
  show: (done: number, total: number) => void;
  /** Removes the progress bar from the screen, so that the next output replaces it. */
  clear: () => void;
}

/**
 * A progress bar on standard error. If standard error is not a terminal, no progress is printed, because a log would
 * contain every step.
 */
export function createProgressBar(label: string): ProgressBar {
  const bar = new SingleBar(
    // Line wrapping and cursor stay unchanged, because an interrupted command would not restore them.
    {
      format: `${label} {bar} {value}/{total}`,
      stream: process.stderr,
      linewrap: true,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  );
  return {
    show: (done, total) => {
      if (bar.isActive) {
        bar.setTotal(total);
        bar.update(done);
      } else {
        bar.start(total, done);
      }
    },
    clear: () => {
      bar.stop();
    },
  };
}
