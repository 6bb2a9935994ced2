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

  it('gives what the work gives', async () => {
    expect(await withLock(directory, () => Promise.resolve('done'))).to.equal('done');
  });

  it('fails while a living process has the lock, and names it', async () => {
    const refusal = await withLock(directory, () => failureOf(withLock(directory, noWork)));

    expect(refusal).to.match(
      new RegExp(`^Process ${process.pid} is starting or stopping .* wait until it is done`),
    );
  });

  it('lets one of many in', async () => {
    const tries = 5;
    let entered = 0;
    let refused = 0;
    // The process with the lock keeps it until the others have had their answer.
    const whenAllAreAnswered = () =>
      eventually('an answer to everyone', () => (entered + refused === tries ? true : null));

    await Promise.all(
      Array.from({ length: tries }, () =>
        withLock(directory, async () => {
          entered += 1;
          await whenAllAreAnswered();
        }).catch(() => {
          refused += 1;
        }),
      ),
    );

    expect(entered).to.equal(1);
  });

  it('is free again after the work', async () => {
    await withLock(directory, noWork);

    await withLock(directory, noWork);
  });

  it('is free again after work that failed', async () => {
    await failureOf(withLock(directory, () => Promise.reject(new Error('failed'))));

    await withLock(directory, noWork);
  });

  it('takes over the lock of a dead process', async () => {
    const { pid } = spawnSync('true');
    await writeFile(join(directory, 'stack.lock'), JSON.stringify({ pid, startedAt: '1' }));

    await withLock(directory, noWork);
  });

  it('takes over the lock of a dead process whose pid another one has', async () => {
    await writeFile(join(directory, 'stack.lock'), JSON.stringify({ pid: process.pid, startedAt: '1' }));

    await withLock(directory, noWork);
  });

  it('takes over a lock that cannot be read', async () => {
    await writeFile(join(directory, 'stack.lock'), '');

    await withLock(directory, noWork);
  });

  it('leaves no files', async () => {
    await writeFile(join(directory, 'stack.lock'), '');

    await withLock(directory, () => failureOf(withLock(directory, noWork)));

    expect(await readdir(directory)).to.deep.equal([]);
  });
});
