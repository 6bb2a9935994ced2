import process from 'node:process';

/** How far a long command is. */
export interface ProgressBar {
  /** @param done of `total`, both in whatever the label says */
  show: (done: number, total: number) => void;
  /** Takes the bar off the screen: what is printed next stands in its place. */
  clear: () => void;
}

const width = 30;

/** A bar on standard error, where it is a terminal: elsewhere nobody watches, and a log would hold every step. */
export function createProgressBar(
  label: string,
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
): ProgressBar {
  const draw = (text: string) => {
    if (stream.isTTY) {
      // To the beginning of the line, and nothing left behind what is written there (ECMA-48 "EL").
      stream.write(`\r${text}\u001B[K`);
    }
  };
  return {
    show: (done, total) => {
      const filled = total === 0 ? width : Math.round((done / total) * width);
      draw(`${label} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done}/${total}`);
    },
    clear: () => {
      draw('');
    },
  };
}
