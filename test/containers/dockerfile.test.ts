import { access, readFile } from 'node:fs/promises';

import { expect } from 'chai';
import { z } from 'zod';

import { roleMemory, roleOptions } from '../../cli/start/roleMemory.js';

const root = new URL('../../', import.meta.url);

async function readLines(name: string): Promise<string[]> {
  return (await readFile(new URL(name, root), 'utf8')).split('\n');
}

/** What the Dockerfile copies out of this checkout, not out of another stage. */
async function copiedPaths(): Promise<string[]> {
  const copies = (await readLines('Dockerfile')).filter((line) => /^COPY (?!--from)/.test(line));
  return copies.flatMap((line) => line.split(/\s+/).slice(1, -1));
}

async function exists(path: string): Promise<boolean> {
  return access(new URL(path, root)).then(
    () => true,
    () => false,
  );
}

describe('Dockerfile', () => {
  it('copies only what is there', async () => {
    const paths = await copiedPaths();
    const found = await Promise.all(paths.map(exists));
    expect(paths.filter((_path, index) => found[index] === false)).to.deep.equal([]);
  });

  it('has roles take memory as `postrider start` has them', async () => {
    const set = Object.entries(roleMemory).map(([name, value]) => `${name}=${value}`);
    expect(await readLines('Dockerfile')).to.include(`ENV ${set.join(' ')}`);
  });

  it('starts Node with the options that `postrider start` has for roles', async () => {
    const command = ['node', ...roleOptions, '/app/dist/cli/main.js'].map((part) => JSON.stringify(part));
    expect(await readLines('Dockerfile')).to.include(`ENTRYPOINT [${command.join(', ')}]`);
  });

  it('copies nothing that .dockerignore keeps out of the build', async () => {
    const letIn = await readLines('.dockerignore');
    expect(letIn).to.include.members((await copiedPaths()).map((path) => `!${path}`));
  });

  it('copies every folder that the build compiles, but for the benchmarks', async () => {
    const { include } = z
      .object({ include: z.array(z.string()) })
      .parse(JSON.parse((await readLines('tsconfig.build.json')).join('\n')));
    expect(await copiedPaths()).to.include.members(include.filter((folder) => folder !== 'bench'));
  });
});
