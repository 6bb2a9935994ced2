import process from 'node:process';

import { Presets, SingleBar } from 'cli-progress';

/** How far a long command is. */
export interface ProgressBar {
  /** @param done of `total`, both in whatever the label says */
  show: (done: number, total: number) => void;
  /** Takes the bar off the screen: what is printed next stands in its place. */
  clear: () => void;
}

/** What a bar is drawn on. */
type Screen = NodeJS.WritableStream & Pick<NodeJS.WriteStream, 'isTTY'>;

/** A bar on standard error, where it is a terminal: elsewhere nobody watches, and a log would hold every step. */
export function createProgressBar(label: string, stream: Screen = process.stderr): ProgressBar {
  const bar = new SingleBar(
    // Line wrapping and cursor stay as they are: a command that is cut off would not set them back.
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
