import process from 'node:process';

import { Presets, SingleBar } from 'cli-progress';

/** The progress of a long command. */
export interface ProgressBar {
  /** @param done of `total`, in the unit that the label names */
  show: (done: number, total: number) => void;
  /** Removes the bar from the screen, so that the next output replaces it. */
  clear: () => void;
}

/** The stream that a bar is drawn on. */
type Screen = NodeJS.WritableStream & Pick<NodeJS.WriteStream, 'isTTY'>;

/**
 * A bar on standard error if that is a terminal. Otherwise it prints nothing, because a log would contain every step.
 */
export function createProgressBar(label: string, stream: Screen = process.stderr): ProgressBar {
  const bar = new SingleBar(
    // Line wrapping and cursor stay unchanged, because an interrupted command would not restore them.
    { format: `${label} {bar} {value}/{total}`, stream, linewrap: true, clearOnComplete: true },
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
