import { PassThrough } from 'node:stream';

import { expect } from 'chai';

import { askForName } from '../../../cli/terminal/confirmation.js';

/** The outcome of a confirmation for this input, and the text that was shown. */
async function asked(typed: string): Promise<{ readonly outcome: string; readonly shown: string }> {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = new PassThrough();
  input.end(`${typed}\n`);
  const outcome = await askForName('Type its name:', 'Shop & Co', { input, output }).then(
    () => 'confirmed',
    String,
  );
  return { outcome, shown: String(output.read()) };
}

describe('the confirmation by name', () => {
  it('accepts the name', async () => {
    expect(await asked('Shop & Co')).to.deep.equal({ outcome: 'confirmed', shown: 'Type its name: ' });
  });

  it('ignores spaces around the name', async () => {
    expect((await asked(' Shop & Co  ')).outcome).to.equal('confirmed');
  });

  for (const typed of ['', 'y', 'yes', 'shop & co', 'Shop']) {
    it(`rejects "${typed}"`, async () => {
      expect((await asked(typed)).outcome).to.contain('No data was deleted');
    });
  }
});
