import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'chai';

import { failure, success } from '../../../stack/system/outcome.js';
import { obtainParts } from '../../../stack/parts/programs.js';
import type { Part, Way } from '../../../stack/parts/part.js';
import { makeDirectory, removeDirectories } from '../directories.js';
import { failureOf } from '../failures.js';

describe('obtainParts', () => {
  let cacheDirectory: string;
  let fetched: string[];
  let progress: string[];

  beforeEach(async () => {
    cacheDirectory = join(await makeDirectory(), 'cache');
    fetched = [];
    progress = [];
  });

  afterEach(removeDirectories);

  /** A way that succeeds, or fails for the given reason. */
  function way(name: string, reason?: string): Way {
    return {
      name,
      folder: `${name}-1`,
      path: 'program',
      isAvailable: () => Promise.resolve(success(undefined)),
      fetch: async (directory) => {
        fetched.push(name);
        await writeFile(join(directory, 'program'), name);
        return reason === undefined ? success(undefined) : failure(reason);
      },
    };
  }

  /** A way whose client is missing. */
  const unavailable = (name: string, reason: string): Way => ({
    ...way(name),
    isAvailable: () => Promise.resolve(failure(reason)),
  });

  const partOf = (part: Partial<Part>): Part => ({
    name: 'Part',
    find: () => Promise.resolve(failure('not in PATH')),
    ways: [],
    check: () => Promise.resolve(success(undefined)),
    packages: { debian: ['part-debian'], homebrew: ['part-homebrew'] },
    advice: 'build it',
    ...part,
  });

  const obtainAll = <Name extends string>(parts: Readonly<Record<Name, Part>>) =>
    obtainParts(parts, { cacheDirectory, onProgress: (line) => progress.push(line) });

  const obtain = async (part: Partial<Part>): Promise<string> =>
    (await obtainAll({ part: partOf(part) })).part;

  it('uses the part that the machine has', async () => {
    const path = await obtain({ find: () => Promise.resolve(success('/bin/part')), ways: [way('first')] });

    expect([path, fetched]).to.deep.equal(['/bin/part', []]);
  });

  it('fetches a part in the first way that works', async () => {
    const path = await obtain({ ways: [way('first', 'no network'), way('second'), way('third')] });

    expect([path, fetched]).to.deep.equal([join(cacheDirectory, 'second-1', 'program'), ['first', 'second']]);
  });

  it('fetches a part once', async () => {
    await obtain({ ways: [way('first')] });

    await obtain({ ways: [way('first')] });

    expect(fetched).to.deep.equal(['first']);
  });

  it('tries no earlier way if a later one has been fetched before', async () => {
    await obtain({ ways: [way('first', 'no network'), way('second')] });

    await obtain({ ways: [way('first'), way('second')] });

    expect(fetched).to.deep.equal(['first', 'second']);
  });

  it('fails with an error that lists the ways with their reasons, and says what to do', async () => {
    const ways = [way('first', 'no network'), unavailable('second', 'no pip')];

    const message = await failureOf(obtain({ ways }));

    expect(message.split('\n')).to.deep.equal([
      'The local stack cannot start. These parts are missing: Part.',
      'Part:',
      '  - on this machine: not in PATH',
      '  - second: no pip',
      '  - first: no network',
      '  To install it without a package manager, build it.',
      'To install all of them:',
      '  Debian, Ubuntu:  sudo apt-get install part-debian',
      '  macOS:           brew install part-homebrew',
    ]);
  });

  it('fetches nothing if a part cannot be obtained, and names each such part', async () => {
    const message = await failureOf(
      obtainAll({
        present: partOf({ name: 'Present', find: () => Promise.resolve(success('/bin/present')) }),
        fetchable: partOf({ name: 'Fetchable', ways: [way('first')] }),
        missing: partOf({ name: 'Missing', ways: [unavailable('pip', 'not found')] }),
        other: partOf({
          name: 'Other',
          packages: { debian: ['other-debian', 'part-debian'], homebrew: ['other-homebrew'] },
        }),
      }),
    );

    expect(fetched).to.deep.equal([]);
    expect(message).to.match(/^The local stack cannot start. These parts are missing: Missing, Other\.\n/);
    expect(message).to.include('sudo apt-get install part-debian other-debian\n');
  });

  it('names all parts whose downloads fail in one message', async () => {
    const message = await failureOf(
      obtainAll({
        one: partOf({ name: 'One', ways: [way('first', 'no network')] }),
        two: partOf({ name: 'Two', ways: [way('second', 'disk is full')] }),
      }),
    );

    expect(message).to.match(/^The local stack cannot start. These parts are missing: One, Two\.\n/);
    expect(message).to.include('  - first: no network\n').and.to.include('  - second: disk is full\n');
  });

  it('skips a way whose client is missing', async () => {
    const path = await obtain({ ways: [unavailable('first', 'no pip'), way('second')] });

    expect([path, fetched]).to.deep.equal([join(cacheDirectory, 'second-1', 'program'), ['second']]);
  });

  it('treats a way that throws like one that fails', async () => {
    const broken: Way = { ...way('first'), fetch: () => Promise.reject(new Error('disk is full')) };

    expect(await failureOf(obtain({ ways: [broken] }))).to.include('  - first: disk is full');
  });

  it('uses the next way if the fetched program does not run on this machine', async () => {
    const path = await obtain({
      ways: [way('first'), way('second')],
      check: async (program) =>
        (await readFile(program, 'utf8')) === 'first' ? failure('bad libc') : success(undefined),
    });

    expect(path).to.equal(join(cacheDirectory, 'second-1', 'program'));
  });

  it('leaves no files of a failed way in the cache', async () => {
    await failureOf(obtain({ ways: [way('first', 'no network')] }));

    expect(await readdir(cacheDirectory)).to.deep.equal([]);
  });

  it('shows a folder in the cache only when it is complete', async () => {
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

  it('returns one complete folder to concurrent callers', async () => {
    const paths = await Promise.all([1, 2, 3].map(() => obtain({ ways: [way('first')] })));

    expect(new Set(paths)).to.deep.equal(new Set([join(cacheDirectory, 'first-1', 'program')]));
    expect(await readdir(cacheDirectory)).to.deep.equal(['first-1']);
  });

  it('removes partial downloads that are older than a day, and no newer ones', async () => {
    const dayAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await mkdir(join(cacheDirectory, '.partial-old'), { recursive: true });
    await mkdir(join(cacheDirectory, '.partial-new'));
    await utimes(join(cacheDirectory, '.partial-old'), dayAgo, dayAgo);

    await obtain({ ways: [way('first')] });

    expect((await readdir(cacheDirectory)).toSorted()).to.deep.equal(['.partial-new', 'first-1']);
  });

  it('reports each way that it uses, and the result', async () => {
    await obtain({ ways: [way('first', 'no network'), way('second')] });

    expect(progress.map((line) => line.replace(/\d+\.\d/, 'N'))).to.deep.equal([
      'Part: fetching first',
      'Part: failed, no network',
      'Part: fetching second',
      'Part: ready after N s',
    ]);
  });
});
