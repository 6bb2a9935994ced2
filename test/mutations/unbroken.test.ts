import { expect } from 'chai';

import { createUnbroken } from './unbroken.js';

const test = 'test/some.test.ts';
const mutations = ['one', 'other', 'one'].map((grep) => ({ test, grep }));

/** A copy in which these tests pass together with others, and these by themselves. */
function benchWhere({ together, alone = [] }: { together: readonly string[]; alone?: readonly string[] }) {
  const runs: string[] = [];
  return {
    runs,
    passingOf: (_file: string, parts: readonly string[]) => {
      runs.push(parts.join(' and '));
      return Promise.resolve(new Set(together));
    },
    passes: ({ grep }: { readonly grep: string }) => {
      runs.push(`${grep} alone`);
      return Promise.resolve(alone.includes(grep));
    },
  };
}

async function verdicts(bench: ReturnType<typeof benchWhere>): Promise<readonly boolean[]> {
  const passes = createUnbroken(mutations);
  return Promise.all(mutations.map((mutation) => passes(mutation, bench)));
}

describe('what passes unbroken', () => {
  it('is found out for all mutations of a test file in one run', async () => {
    const bench = benchWhere({ together: ['one', 'other'] });

    expect([await verdicts(bench), bench.runs]).to.deep.equal([[true, true, true], ['one and other']]);
  });

  it('may need to be tried by itself', async () => {
    const bench = benchWhere({ together: ['one'], alone: ['other'] });

    expect([await verdicts(bench), bench.runs]).to.deep.equal([
      [true, true, true],
      ['one and other', 'other alone'],
    ]);
  });

  it('is not what fails in both', async () => {
    expect(await verdicts(benchWhere({ together: ['other'] }))).to.deep.equal([false, true, false]);
  });
});
