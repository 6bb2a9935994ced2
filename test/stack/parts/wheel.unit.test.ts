import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'chai';

import { unpackZip } from '../../../stack/parts/wheel.js';
import { makeDirectory, removeDirectories } from '../directories.js';
import { failureOf } from '../failures.js';

/** `bin/run` with the mode 755, and `notes.txt` without a mode, as in an archive that was not created on Unix. */
const archive =
  'UEsDBBQAAAAAAAAAIVgdnfsECgAAAAoAAAAHAAAAYmluL3J1biMhL2Jpbi9zaApQSwMEFAAAAAAAAAAhWIymGwEFAAAABQAAAAkAAABub3Rlcy50' +
  'eHRub3Rlc1BLAQIUAxQAAAAAAAAAIVgdnfsECgAAAAoAAAAHAAAAAAAAAAAAAADtgQAAAABiaW4vcnVuUEsBAhQDFAAAAAAAAAAhWIymGwEFAAAA' +
  'BQAAAAkAAAAAAAAAAAAAAIABLwAAAG5vdGVzLnR4dFBLBQYAAAAAAgACAGwAAABbAAAAAAA=';

/** One file, `../outside`. */
const escapingArchive =
  'UEsDBBQAAAAAAAAAIViDFtyMAQAAAAEAAAAKAAAALi4vb3V0c2lkZXhQSwECFAMUAAAAAAAAACFYgxbcjAEAAAABAAAACgAAAAAAAAAAAAAAgAEA' +
  'AAAALi4vb3V0c2lkZVBLBQYAAAAAAQABADgAAAApAAAAAAA=';

describe('unpackZip', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await makeDirectory();
  });

  afterEach(removeDirectories);

  async function unpack(content: string): Promise<void> {
    await writeFile(join(directory, 'archive.zip'), Buffer.from(content, 'base64'));
    await unpackZip(join(directory, 'archive.zip'), join(directory, 'unpacked'));
  }

  it('writes the files', async () => {
    await unpack(archive);

    expect(await readFile(join(directory, 'unpacked', 'notes.txt'), 'utf8')).to.equal('notes');
  });

  it('keeps the mode of an executable file', async () => {
    await unpack(archive);

    expect((await stat(join(directory, 'unpacked', 'bin', 'run'))).mode & 0o777).to.equal(0o755);
  });

  it('rejects a name outside of the directory', async () => {
    expect(await failureOf(unpack(escapingArchive))).to.include('../outside');
    expect(await readdir(directory)).to.deep.equal(['archive.zip']);
  });
});
