import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

import { expect } from 'chai';

const built = new URL('../../dashboard/dist/', import.meta.url);
const budgetBytes = 100 * 1024;

interface Script {
  readonly name: string;
  readonly compressedBytes: number;
}

async function scripts(): Promise<readonly Script[]> {
  const assets = new URL('assets/', built);
  const names = (await readdir(assets)).filter((name) => name.endsWith('.js'));
  return Promise.all(
    names.map(async (name) => ({
      name,
      compressedBytes: gzipSync(await readFile(new URL(name, assets))).length,
    })),
  );
}

/** The script of one page. All other scripts may be part of any page. */
function isOfPage({ name }: Script): boolean {
  return /Page-[^/]+\.js$/.test(name);
}

describe('the scripts of the dashboard', () => {
  it('have less than 100 KiB in total on each page when compressed', async () => {
    const all = await scripts();
    const shared = all.filter((script) => !isOfPage(script));
    const sharedBytes = shared.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0);
    const pages = all.filter(isOfPage);
    expect(pages).to.not.have.lengthOf(0);
    for (const { name, compressedBytes } of pages) {
      expect(sharedBytes + compressedBytes, name).to.be.below(budgetBytes);
    }
  });

  it('are files, and the page has no inline scripts or styles', async () => {
    const page = await readFile(new URL('index.html', built), 'utf8');
    expect(page).to.not.match(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
  });
});
