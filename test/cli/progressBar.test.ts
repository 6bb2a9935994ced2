import { expect } from 'chai';

import { createProgressBar } from '../../cli/progressBar.js';

function stream(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, write: (text: string) => written.push(text) > 0 };
}

describe('createProgressBar', () => {
  it('draws over itself on a terminal', () => {
    const terminal = stream(true);
    createProgressBar('webhooks', terminal).show(1, 2);
    expect(terminal.written).to.deep.equal([`\rwebhooks ${'█'.repeat(15)}${'░'.repeat(15)} 1/2\u001B[K`]);
  });

  it('is full where there is nothing to do', () => {
    const terminal = stream(true);
    createProgressBar('webhooks', terminal).show(0, 0);
    expect(terminal.written.join()).to.contain('█'.repeat(30));
  });

  it('leaves an empty line behind', () => {
    const terminal = stream(true);
    createProgressBar('webhooks', terminal).clear();
    expect(terminal.written).to.deep.equal(['\r\u001B[K']);
  });

  it('is silent where nobody watches', () => {
    const file = stream(false);
    createProgressBar('webhooks', file).show(1, 2);
    expect(file.written).to.deep.equal([]);
  });
});
