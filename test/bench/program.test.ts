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
  it('measures everything on Node 24 if there are no options', async () => {
    expect(await optionsOf()).to.deep.equal({ node: '24', backlog: 200_000, tenants: 100_000 });
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

  it('compares with an earlier version, on any measured version of Node', async () => {
    expect(await optionsOf('--against', 'main~3', '--node', '20')).to.deep.include({
      against: 'main~3',
      node: '20',
    });
  });

  it('tests itself five times, or as often as it is told', async () => {
    const [usual, once] = await Promise.all([optionsOf('--self-test'), optionsOf('--self-test', '1')]);
    expect(usual).to.deep.include({ selfTest: 5 });
    expect(once).to.deep.include({ selfTest: 1 });
  });

  it('writes no page of a comparison with an earlier version', async () => {
    expect(await optionsOf('--against', 'main~3', '--page')).to.match(/cannot be used with/);
  });

  for (const pairs of ['0', '100', '1.5', 'many']) {
    it(`rejects ${pairs} pairs`, async () => {
      expect(await optionsOf('--pairs', pairs)).to.match(/whole number from 1 to 99/);
    });
  }
});
