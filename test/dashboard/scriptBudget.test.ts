import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

import { expect } from 'chai';

const built = new URL('../../dashboard/dist/', import.meta.url);
const budgetBytes = 150 * 1024;

/** All scripts of the dashboard. Each page loads only some of them. */
async function scripts(): Promise<readonly Buffer[]> {
  const assets = new URL('assets/', built);
  const names = (await readdir(assets)).filter((name) => name.endsWith('.js'));
  return Promise.all(names.map((name) => readFile(new URL(name, assets))));
}

describe('the scripts of the dashboard', () => {
  it('have less than 150 KiB in total when compressed', async () => {
    const sizes = (await scripts()).map((script) => gzipSync(script).length);
    expect(sizes).to.not.have.lengthOf(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.below(budgetBytes);
  });

  it('are files, and the page has no inline scripts or styles', async () => {
    const page = await readFile(new URL('index.html', built), 'utf8');
    expect(page).to.not.match(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
  });
});
