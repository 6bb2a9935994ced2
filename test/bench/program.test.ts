import { expect } from 'chai';

import { createProgram, type Options } from '../../bench/program.js';
import { scenarios } from '../../bench/scenarios/all.js';
import { messageOf } from '../../shared/core/errors.js';

async function optionsOf(...words: string[]): Promise<Options | string> {
  let taken: Options | string = 'nothing';
  const program = createProgram(scenarios, (options) => {
    taken = options;
    return Promise.resolve();
  }).configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    taken = messageOf(error);
  }
  return taken;
}

describe('the command line of the benchmark', () => {
  it('measures everything once if there are no options', async () => {
    expect(await optionsOf()).to.deep.equal({ runs: 1, backlog: 500_000 });
  });

  it('takes several scenarios', async () => {
    expect(await optionsOf('--only', 'five', 'idle', '--quick')).to.deep.include({
      only: ['five', 'idle'],
      quick: true,
    });
  });

  it('knows no other scenarios', async () => {
    expect(await optionsOf('--only', 'six')).to.match(/argument 'six' is invalid/);
  });

  it('writes its page where the others are, or where it is told to', async () => {
    const pages = await Promise.all([optionsOf('--page'), optionsOf('--page', 'elsewhere')]);
    expect(pages.map((options) => (typeof options === 'string' ? options : options.page))).to.deep.equal([
      'docs/benchmarks',
      'elsewhere',
    ]);
  });

  for (const runs of ['0', '100', '1.5', 'many']) {
    it(`rejects ${runs} runs`, async () => {
      expect(await optionsOf('--runs', runs)).to.match(/whole number from 1 to 99/);
    });
  }
});
