import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

import { expect } from 'chai';

import { createProgressBar, type ProgressBar } from '../../../cli/terminal/progressBar.js';

/** What a bar has written, to its end, on a terminal or elsewhere. */
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

describe('createProgressBar', () => {
  it('draws over itself on a terminal', () => {
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

  it('follows a total that grows', () => {
    const written = writtenBy(({ show }) => {
      show(1, 1);
      show(1, 4);
    });
    expect(stripVTControlCharacters(written)).to.match(/1\/4$/);
  });

  it('is full where there is nothing to do', () => {
    const written = writtenBy(({ show }) => {
      show(0, 0);
    });
    expect(written).to.contain('█'.repeat(40));
  });

  it('leaves an empty line behind', () => {
    const written = writtenBy(({ show }) => {
      show(1, 2);
    });
    // To the beginning of the line, and nothing left in it (ECMA-48 "CHA", "EL").
    expect(written.endsWith('\u001B[1G\u001B[2K')).to.equal(true);
  });

  it('leaves the cursor and the wrapping of lines alone: a command may be cut off', () => {
    const written = writtenBy(({ show }) => {
      show(1, 2);
    });
    expect(written).not.to.contain('\u001B[?');
  });

  it('is silent where nobody watches', () => {
    const written = writtenBy(({ show }) => {
      show(1, 2);
    }, false);
    expect(written).to.equal('');
  });
});
