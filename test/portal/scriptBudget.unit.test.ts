import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

import { expect } from 'chai';

const built = new URL('../../portal/dist/', import.meta.url);
const budgetBytes = 80 * 1024;

describe('the page of the portal', () => {
  it('has at most 80 KiB of script when compressed', async () => {
    const assets = new URL('assets/', built);
    const names = (await readdir(assets)).filter((name) => name.endsWith('.js'));
    const sizes = await Promise.all(
      names.map(async (name) => gzipSync(await readFile(new URL(name, assets))).length),
    );
    expect(names).to.not.have.lengthOf(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.at.most(budgetBytes);
  });

  it('has no inline scripts or styles', async () => {
    const page = await readFile(new URL('index.html', built), 'utf8');
    expect(page).to.not.match(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
  });
});
