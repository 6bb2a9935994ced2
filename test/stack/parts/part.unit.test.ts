import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'chai';

import { type Download, obtainParts, type Part } from '../../../stack/parts/part.js';
import { failure, success } from '../../../stack/system/outcome.js';
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

  /** A download that succeeds, or fails for the given reason. */
  const downloadOf = (name: string, reason?: string): Download => ({
    name,
    folder: `${name}-1`,
    path: 'bin/program',
    fetch: async (directory) => {
      fetched.push(name);
      await mkdir(join(directory, 'bin'));
      await writeFile(join(directory, 'bin', 'program'), name);
      return reason === undefined ? success(undefined) : failure(reason);
    },
  });

  const partOf = (part: Partial<Part> = {}): Part => ({
    name: 'Part',
    find: () => Promise.resolve(failure('not in PATH')),
    download: downloadOf('archive'),
    check: () => Promise.resolve(success(undefined)),
    packages: { debian: ['part-debian'], homebrew: ['part-homebrew'] },
    advice: 'build it',
    ...part,
  });

  const obtain = (...parts: readonly Partial<Part>[]) =>
    obtainParts(parts.map(partOf), { cacheDirectory, onProgress: (line) => progress.push(line) });

  const pathOfArchive = () => join(cacheDirectory, 'archive-1', 'bin', 'program');

  it('uses the part that the machine has', async () => {
    const paths = await obtain({ find: () => Promise.resolve(success('/bin/part')) });

    expect([paths, fetched]).to.deep.equal([['/bin/part'], []]);
  });

  it('fetches a part once', async () => {
    const paths = [await obtain({}), await obtain({})];

    expect(paths).to.deep.equal([[pathOfArchive()], [pathOfArchive()]]);
    expect(fetched).to.deep.equal(['archive']);
  });

  it('uses a cached part in whichever folder the archive has put it', async () => {
    const folder = join(cacheDirectory, 'archive-1', 'archive-1.data', 'purelib', 'bin');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'program'), '');

    expect([await obtain({}), fetched]).to.deep.equal([[join(folder, 'program')], []]);
  });

  it('fails with an error that names the source with the reason, and says what to do', async () => {
    const message = await failureOf(obtain({ download: downloadOf('archive', 'no network') }));

    expect(message.split('\n')).to.deep.equal([
      'The local stack cannot start. These parts are missing: Part.',
      'Part:',
      '  - on this machine: not in PATH',
      '  - archive: no network',
      '  To install it without a package manager, build it.',
      'On Debian and Ubuntu: sudo apt-get install part-debian',
      'On macOS: brew install part-homebrew',
    ]);
  });

  it('names all parts that cannot be obtained in one message, and keeps the others', async () => {
    const message = await failureOf(
      obtain(
        { name: 'One', download: downloadOf('first', 'no network') },
        {
          name: 'Two',
          download: downloadOf('second', 'disk is full'),
          packages: { debian: ['part-debian', 'other-debian'], homebrew: [] },
        },
        { name: 'Three' },
      ),
    );

    expect(message).to.match(/^The local stack cannot start. These parts are missing: One, Two\.\n/);
    expect(message).to.include('  - first: no network\n').and.to.include('  - second: disk is full\n');
    expect(message).to.include('sudo apt-get install part-debian other-debian\n');
    expect(await readdir(cacheDirectory)).to.deep.equal(['archive-1']);
  });

  it('treats a download that throws like one that fails', async () => {
    const download = { ...downloadOf('archive'), fetch: () => Promise.reject(new Error('disk is full')) };

    expect(await failureOf(obtain({ download }))).to.include('  - archive: disk is full');
  });

  it('does not keep a program that does not run on this machine, or is not in the archive', async () => {
    const message = await failureOf(
      obtain(
        { check: () => Promise.resolve(failure('bad libc')) },
        { download: { ...downloadOf('other'), path: 'sbin/program' } },
      ),
    );

    expect(message).to.include('  - archive: what was fetched does not run here: bad libc');
    expect(message).to.include('  - other: what was fetched does not run here: it contains no sbin/program');
    expect(await readdir(cacheDirectory)).to.deep.equal([]);
  });

  it('shows a folder in the cache only when it is complete', async () => {
    let seen: string[] = [];
    const whole = downloadOf('archive');
    const fetch = async (directory: string) => {
      seen = await readdir(cacheDirectory);
      return whole.fetch(directory);
    };

    await obtain({ download: { ...whole, fetch } });

    expect(seen).to.not.include('archive-1');
  });

  it('returns one complete folder to concurrent callers', async () => {
    const paths = await obtain({}, {}, {});

    expect(new Set(paths)).to.deep.equal(new Set([pathOfArchive()]));
    expect(await readdir(cacheDirectory)).to.deep.equal(['archive-1']);
  });

  it('removes partial downloads that are older than a day, and no newer ones', async () => {
    const dayAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await mkdir(join(cacheDirectory, '.partial-old'), { recursive: true });
    await mkdir(join(cacheDirectory, '.partial-new'));
    await utimes(join(cacheDirectory, '.partial-old'), dayAgo, dayAgo);

    await obtain({});

    expect((await readdir(cacheDirectory)).toSorted()).to.deep.equal(['.partial-new', 'archive-1']);
  });

  it('reports the download, and the result', async () => {
    await obtain({});
    await failureOf(obtain({ download: downloadOf('other', 'no network') }));

    expect(progress.map((line) => line.replace(/\d+\.\d/, 'N'))).to.deep.equal([
      'Part: fetching archive',
      'Part: ready after N s',
      'Part: fetching other',
      'Part: failed, no network',
    ]);
  });
});
