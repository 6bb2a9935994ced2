import { readFile } from 'node:fs/promises';
import process from 'node:process';

import { expect } from 'chai';

import { describeMachine } from '../../stack/system/machine.js';
import { stackParts } from '../../stack/parts/programs.js';

/** The rows of the table of local servers in docs/getting-started.md, by the name of the part. */
async function rows(): Promise<ReadonlyMap<string, readonly string[]>> {
  const page = await readFile(new URL('../../docs/getting-started.md', import.meta.url), 'utf8');
  const table = page.split('## The local servers')[1]?.split('\n## ')[0] ?? '';
  const lines = table.split('\n').filter((line) => line.startsWith('| '));
  const cells = lines.map((line) => line.split('|').map((cell) => cell.trim())).slice(2);
  return new Map(cells.map(([, name = '', ...others]) => [name, others]));
}

describe('the table of local servers in docs/getting-started.md', () => {
  const partsOf = (platform: NodeJS.Platform) => stackParts(describeMachine(process.env, platform));
  const parts = partsOf('linux');

  it('has exactly the parts that the local stack uses', async () => {
    expect([...(await rows()).keys()]).to.deep.equal(parts.map(({ name }) => name));
  });

  for (const [index, { name, download, packages }] of parts.entries()) {
    it(`has the download of ${name}`, async () => {
      const sources = new Set([download.name, partsOf('darwin')[index]?.download.name]);

      expect((await rows()).get(name)?.[1]).to.equal([...sources].join('; on macOS '));
    });

    it(`has the commands that install ${name}`, async () => {
      const { debian, homebrew } = packages;

      expect((await rows()).get(name)?.[2]).to.equal(
        `\`apt-get install ${debian.join(' ')}\`, \`brew install ${homebrew.join(' ')}\``,
      );
    });
  }
});
