import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'chai';

import { failure, success } from '../../../stack/parts/outcome.js';
import { obtainPart, type Part, type Way } from '../../../stack/parts/part.js';
import { makeDirectory, removeDirectories } from '../directories.js';
import { failureOf } from '../failures.js';

describe('obtainPart', () => {
  let cacheDirectory: string;
  let fetched: string[];
  let progress: string[];

  beforeEach(async () => {
    cacheDirectory = join(await makeDirectory(), 'cache');
    fetched = [];
    progress = [];
  });

  afterEach(removeDirectories);

  /** A way that works unless it is given a reason not to. */
  function way(name: string, reason?: string): Way {
    return {
      name,
      folder: `${name}-1`,
      path: 'program',
      fetch: async (directory) => {
        fetched.push(name);
        await writeFile(join(directory, 'program'), name);
        return reason === undefined ? success(undefined) : failure(reason);
      },
    };
  }

  const obtain = (part: Partial<Part>) =>
    obtainPart(
      {
        name: 'Part',
        find: () => Promise.resolve(failure('not in PATH')),
        ways: [],
        check: () => Promise.resolve(success(undefined)),
        advice: 'install it',
        ...part,
      },
      { cacheDirectory, onProgress: (line) => progress.push(line) },
    );

  it('takes what the machine has', async () => {
    const path = await obtain({ find: () => Promise.resolve(success('/bin/part')), ways: [way('first')] });

    expect([path, fetched]).to.deep.equal(['/bin/part', []]);
  });

  it('fetches by the first way that works', async () => {
    const path = await obtain({ ways: [way('first', 'no network'), way('second'), way('third')] });

    expect([path, fetched]).to.deep.equal([join(cacheDirectory, 'second-1', 'program'), ['first', 'second']]);
  });

  it('fetches once', async () => {
    await obtain({ ways: [way('first')] });

    await obtain({ ways: [way('first')] });

    expect(fetched).to.deep.equal(['first']);
  });

  it('tries no earlier way where a later one has been fetched before', async () => {
    await obtain({ ways: [way('first', 'no network'), way('second')] });

    await obtain({ ways: [way('first'), way('second')] });

    expect(fetched).to.deep.equal(['first', 'second']);
  });

  it('names what was tried, each with its reason, and what to do', async () => {
    const message = await failureOf(obtain({ ways: [way('first', 'no network'), way('second', 'no pip')] }));

    expect(message.split('\n')).to.deep.equal([
      'Part is missing, and no way to get it worked:',
      '  - on this machine: not in PATH',
      '  - first: no network',
      '  - second: no pip',
      'To go on, install it.',
    ]);
  });

  it('counts a way that throws as one that failed', async () => {
    const broken: Way = { ...way('first'), fetch: () => Promise.reject(new Error('disk is full')) };

    expect(await failureOf(obtain({ ways: [broken] }))).to.include('  - first: disk is full');
  });

  it('goes on to the next way where the fetched program does not run here', async () => {
    const path = await obtain({
      ways: [way('first'), way('second')],
      check: async (program) =>
        (await readFile(program, 'utf8')) === 'first' ? failure('bad libc') : success(undefined),
    });

    expect(path).to.equal(join(cacheDirectory, 'second-1', 'program'));
  });

  it('leaves nothing of a failed way in the cache', async () => {
    await failureOf(obtain({ ways: [way('first', 'no network')] }));

    expect(await readdir(cacheDirectory)).to.deep.equal([]);
  });

  it('never shows a folder before it is filled', async () => {
    const slow: Way = {
      ...way('first'),
      fetch: async (directory) => {
        await writeFile(join(directory, 'program'), 'half');
        seen = await readdir(cacheDirectory);
        return success(undefined);
      },
    };
    let seen: string[] = [];

    await obtain({ ways: [slow] });

    expect(seen).to.not.include('first-1');
  });

  it('gives two that fetch at once the same whole folder', async () => {
    const paths = await Promise.all([1, 2, 3].map(() => obtain({ ways: [way('first')] })));

    expect(new Set(paths)).to.deep.equal(new Set([join(cacheDirectory, 'first-1', 'program')]));
    expect(await readdir(cacheDirectory)).to.deep.equal(['first-1']);
  });

  it('removes what a killed process left a day ago, and nothing younger', async () => {
    const dayAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await mkdir(join(cacheDirectory, '.partial-old'), { recursive: true });
    await mkdir(join(cacheDirectory, '.partial-new'));
    await utimes(join(cacheDirectory, '.partial-old'), dayAgo, dayAgo);

    await obtain({ ways: [way('first')] });

    expect((await readdir(cacheDirectory)).toSorted()).to.deep.equal(['.partial-new', 'first-1']);
  });

  it('tells what it fetches and what came of it', async () => {
    await obtain({ ways: [way('first', 'no network'), way('second')] });

    expect(progress.map((line) => line.replace(/\d+\.\d/, 'N'))).to.deep.equal([
      'Part: fetching first',
      'Part: failed, no network',
      'Part: fetching second',
      'Part: ready after N s',
    ]);
  });
});
