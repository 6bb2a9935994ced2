import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';

import { expect } from 'chai';

import { makeDirectory, removeDirectories } from '../stack/directories.js';

const program = 'dist/cli/main.js';
const page = 'dashboard/dist/index.html';

/** A project with the structure of this one. It is small enough to be compiled many times. */
const files = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': '{}',
  'tsconfig.build.json': JSON.stringify({
    compilerOptions: {
      ...{ module: 'NodeNext', target: 'ES2023', types: [], skipLibCheck: true, incremental: true },
      ...{ rootDir: '.', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' },
    },
    include: ['cli', 'bench'],
  }),
  'cli/main.ts': 'export const answer: number = 42;\n',
  'vite.config.js': "export default ({ mode }) => ({ root: mode === 'portal' ? 'portal' : 'dashboard' });\n",
  'dashboard/index.html': '<title>Dashboard</title>\n',
  'portal/index.html': '<title>Portal</title>\n',
};

describe('a build', () => {
  let folder: string;

  let built: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-build-'));
    built = folder;
    for (const [file, content] of Object.entries(files)) {
      await put(file, content);
    }
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    await build();
  });

  beforeEach(async () => {
    folder = await makeDirectory();
    await cp(built, folder, { recursive: true, preserveTimestamps: true });
  });

  afterEach(removeDirectories);

  after(() => rm(built, { recursive: true, force: true }));

  const put = async (file: string, content: string) => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), content);
  };

  const build = () =>
    new Promise<{ readonly code: number | null; readonly output: string }>((done) => {
      const child = execFile(
        process.execPath,
        [resolve('build.js')],
        { cwd: folder },
        (_error, out, error) => {
          done({ code: child.exitCode, output: out + error });
        },
      );
    });

  /** The time of the last build of each part. */
  const times = async () =>
    Promise.all([program, page].map(async (file) => (await stat(join(folder, file))).mtimeMs));

  /** @returns which parts were built again, and the exit code of the build */
  const afterChange = async (change: () => Promise<void>) => {
    const [programBefore, pageBefore] = await times();
    await change();
    const { code } = await build();
    const [programAfter, pageAfter] = await times();
    return { code, program: programAfter !== programBefore, page: pageAfter !== pageBefore };
  };

  it('compiles nothing if no source has changed', async () => {
    expect(await afterChange(() => Promise.resolve())).to.deep.equal({
      code: 0,
      program: false,
      page: false,
    });
  });

  it('compiles the program alone if only a source of the program has changed', async () => {
    const changed = await afterChange(() => put('cli/main.ts', 'export const answer: number = 43;\n'));

    expect(changed).to.deep.equal({ code: 0, program: true, page: false });
  });

  it('compiles the page alone if only a source of the page has changed', async () => {
    const changed = await afterChange(() => put('dashboard/index.html', '<title>Other</title>\n'));

    expect(changed).to.deep.equal({ code: 0, program: false, page: true });
  });

  it('compiles a source that was added', async () => {
    await put('cli/commands/added.ts', 'export const added = 1;\n');

    await build();

    expect(await readdir(join(folder, 'dist/cli/commands'))).to.deep.equal(['added.js']);
  });

  it('compiles the page again if a dependency has changed', async () => {
    const changed = await afterChange(() => put('package-lock.json', '{ "lockfileVersion": 3 }'));

    expect(changed).to.include({ code: 0, page: true });
  });

  it('compiles again after the output was deleted', async () => {
    await rm(join(folder, 'dist'), { recursive: true });
    await rm(join(folder, page));

    expect((await build()).code).to.equal(0);
    expect(await times()).to.have.lengthOf(2);
  });

  it('copies Swagger UI unchanged, with its licenses and without its source maps', async () => {
    const copies = join(folder, 'dist/swagger-ui');
    const names = await readdir(copies);
    const read = (from: string) => Promise.all(names.map((name) => readFile(join(from, name))));
    expect(names).to.include.members(['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt']);
    expect(names.filter((name) => name.endsWith('.map'))).to.deep.equal([]);
    expect(await read(copies)).to.deep.equal(await read(resolve('node_modules/swagger-ui-dist')));
  });

  it('copies Swagger UI again if the copy was deleted', async () => {
    await rm(join(folder, 'dist/swagger-ui'), { recursive: true });

    await build();

    expect(await readdir(join(folder, 'dist/swagger-ui'))).to.include('swagger-ui.css');
  });

  it('fails, and compiles again the next time, if a source has an error', async () => {
    await put('cli/main.ts', 'export const answer: number = "42";\n');

    const outcomes = [await build(), await build()];

    expect(outcomes.map(({ code }) => code)).to.deep.equal([1, 1]);
    expect(outcomes[1]?.output).to.include('cli/main.ts');
  });
});
