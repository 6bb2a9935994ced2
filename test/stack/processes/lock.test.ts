import { spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'chai';

import { withLock } from '../../../stack/processes/lock.js';
import { eventually } from '../../support/eventually.js';
import { makeDirectory, removeDirectories } from '../directories.js';
import { failureOf } from '../failures.js';

describe('withLock', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await makeDirectory();
  });

  afterEach(removeDirectories);

  const noWork = () => Promise.resolve();

  it('returns the result of the work', async () => {
    expect(await withLock(directory, () => Promise.resolve('done'))).to.equal('done');
  });

  it('fails while a running process has the lock, and names that process', async () => {
    const message = await withLock(directory, () => failureOf(withLock(directory, noWork)));

    expect(message).to.match(
      new RegExp(`^Process ${process.pid} is starting or stopping .* Wait until the process has finished`),
    );
  });

  it('gives the lock to one of several concurrent callers', async () => {
    const tries = 5;
    let entered = 0;
    let rejected = 0;
    // The caller with the lock keeps it until the others were rejected.
    const whenAllAreDecided = () =>
      eventually('a result for each caller', () => (entered + rejected === tries ? true : null));

    await Promise.all(
      Array.from({ length: tries }, () =>
        withLock(directory, async () => {
          entered += 1;
          await whenAllAreDecided();
        }).catch(() => {
          rejected += 1;
        }),
      ),
    );

    expect(entered).to.equal(1);
  });

  it('releases the lock after the work', async () => {
    await withLock(directory, noWork);

    await withLock(directory, noWork);
  });

  it('releases the lock after work that failed', async () => {
    await failureOf(withLock(directory, () => Promise.reject(new Error('failed'))));

    await withLock(directory, noWork);
  });

  it('takes over the lock of a dead process', async () => {
    const { pid } = spawnSync('true');
    await writeFile(join(directory, 'stack.lock'), JSON.stringify({ pid, startedAt: '1' }));

    await withLock(directory, noWork);
  });

  it('takes over the lock of a dead process whose pid another process has', async () => {
    await writeFile(join(directory, 'stack.lock'), JSON.stringify({ pid: process.pid, startedAt: '1' }));

    await withLock(directory, noWork);
  });

  it('takes over an unreadable lock', async () => {
    await writeFile(join(directory, 'stack.lock'), '');

    await withLock(directory, noWork);
  });

  it('leaves no files', async () => {
    await writeFile(join(directory, 'stack.lock'), '');

    await withLock(directory, () => failureOf(withLock(directory, noWork)));

    expect(await readdir(directory)).to.deep.equal([]);
  });
});
