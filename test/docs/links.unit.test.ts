import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { expect } from 'chai';

/** The Markdown files of the project that a reader starts from, and those of `docs`. */
async function pages(): Promise<readonly string[]> {
  const docs = await readdir('docs', { recursive: true });
  const others = ['README.md', 'CONTRIBUTING.md'];
  return [...others, ...docs.map((name) => join('docs', name))].filter((name) => name.endsWith('.md'));
}

/** The anchors of a page, as GitHub makes them from its headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = withoutCode(text).matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^( *)```.*?^\1```$/gms, '');
}

/** The links of a page to files that do not exist, or to headings that they lack. */
async function brokenLinks(page: string): Promise<readonly string[]> {
  const text = await readFile(page, 'utf8');
  const links = [...withoutCode(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)];
  const broken = await Promise.all(
    links.map(async ([, link = '']) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(target)) {
        return [`${page}: ${link}`];
      }
      const isFound = anchor === undefined || anchorsOf(await readFile(target, 'utf8')).has(anchor);
      return isFound ? [] : [`${page}: ${link}`];
    }),
  );
  return broken.flat();
}

describe('the links in the documentation', () => {
  it('lead to files and headings that exist', async () => {
    const broken = await Promise.all((await pages()).map(brokenLinks));
    expect(broken.flat()).to.deep.equal([]);
  });
});
