import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

import { expect } from 'chai';

import { createProgressBar, type ProgressBar } from '../../../cli/terminal/progressBar.js';

/** The complete output of a bar, on a terminal or elsewhere. */
function writtenBy(work: (bar: ProgressBar) => void, isTTY = true): string {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const bar = createProgressBar('webhooks', stream);
  try {
    work(bar);
  } finally {
    bar.clear();
  }
  return String(stream.read() ?? '');
}

describe('the progress bar', () => {
  it('redraws itself on a terminal', () => {
    const written = writtenBy(({ show }) => {
      show(1, 2);
      show(2, 2);
    });
    const bars = stripVTControlCharacters(written).match(/webhooks [█░]+ \d+\/\d+/g);
    const half = `${'█'.repeat(20)}${'░'.repeat(20)}`;
    expect([bars?.at(0), bars?.at(-1), written.includes('\n')]).to.deep.equal([
      `webhooks ${half} 1/2`,
      `webhooks ${'█'.repeat(40)} 2/2`,
      false,
    ]);
  });

  it('follows a growing total', () => {
    const written = writtenBy(({ show }) => {
      show(1, 1);
      show(1, 4);
    });
    expect(stripVTControlCharacters(written)).to.match(/1\/4$/);
  });

  it('is full if there is nothing to do', () => {
    const written = writtenBy(({ show }) => {
      show(0, 0);
    });
    expect(written).to.contain('█'.repeat(40));
  });

  it('leaves an empty line', () => {
    const written = writtenBy(({ show }) => {
      show(1, 2);
    });
    // Move to the beginning of the line, and clear the line (ECMA-48 "CHA", "EL").
    expect(written.endsWith('\u001B[1G\u001B[2K')).to.equal(true);
  });

  it('does not change the cursor or the line wrapping, because a command can be interrupted', () => {
    const written = writtenBy(({ show }) => {
      show(1, 2);
    });
    expect(written).not.to.contain('\u001B[?');
  });

  it('prints nothing without a terminal', () => {
    const written = writtenBy(({ show }) => {
      show(1, 2);
    }, false);
    expect(written).to.equal('');
  });
});
