import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

import { expect } from 'chai';

const built = new URL('../../dashboard/dist/', import.meta.url);
const budgetBytes = 150 * 1024;

/** The scripts of the built page. Together they are more than any page of it loads. */
async function scripts(): Promise<readonly Buffer[]> {
  const assets = new URL('assets/', built);
  const names = (await readdir(assets)).filter((name) => name.endsWith('.js'));
  return Promise.all(names.map((name) => readFile(new URL(name, assets))));
}

describe('the dashboard’s scripts', () => {
  it('are under 150 KiB compressed, all of them together', async () => {
    const sizes = (await scripts()).map((script) => gzipSync(script).length);
    expect(sizes).to.not.have.lengthOf(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.below(budgetBytes);
  });

  it('are files of their own: the page has nothing inline', async () => {
    const page = await readFile(new URL('index.html', built), 'utf8');
    expect(page).to.not.match(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
  });
});
