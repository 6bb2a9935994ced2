import { readFileSync } from 'node:fs';
import { basename, dirname, extname, normalize } from 'node:path';
import { execFileSync } from 'node:child_process';

import { expect } from 'chai';
import ts from 'typescript';

/** Rules of the tree that dependency-cruiser cannot express. Directions between folders are in `.dependency-cruiser.js`. */

const folders = ['api', 'cli', 'consumers', 'projections', 'shared', 'stack'];
/** A folder with more files has more than one idea. */
const maximumFiles = 13;
/** A module that is shorter, and has one importer, is read together with it. */
const shortModuleLines = 40;

interface Module {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly string[];
}

function trackedFiles(...patterns: readonly string[]): readonly string[] {
  return execFileSync('git', ['ls-files', '--', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '');
}

function readModule(path: string): Module {
  const text = readFileSync(path, 'utf8');
  const imports = ts
    .preProcessFile(text)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((fileName) => fileName.startsWith('.'))
    .map((fileName) => normalize(`${dirname(path)}/${fileName}`).replace(/\.js$/, '.ts'));
  return { path, lines: text.split('\n').length - 1, imports };
}

const modules = trackedFiles(...folders.map((folder) => `${folder}/**/*.ts`)).map(readModule);
const tests = new Set(trackedFiles('test/**/*.ts'));

function importersOf(path: string): readonly string[] {
  return modules.filter(({ imports }) => imports.includes(path)).map((module) => module.path);
}

/** `test/` has the same folders as the code. */
function hasTests(path: string): boolean {
  const name = `test/${path.slice(0, -extname(path).length)}`;
  return ['test', 'outage', 'upgrade'].some((kind) => tests.has(`${name}.${kind}.ts`));
}

describe('the tree of modules', () => {
  it(`has at most ${maximumFiles} modules in a folder`, () => {
    const byFolder = new Map<string, string[]>();
    for (const { path } of modules) {
      byFolder.set(dirname(path), [...(byFolder.get(dirname(path)) ?? []), basename(path)]);
    }
    const large = [...byFolder].filter(([, names]) => names.length > maximumFiles).map(([folder]) => folder);

    expect(large).to.deep.equal([]);
  });

  it(`has no module of fewer than ${shortModuleLines} lines with a single importer, unless it has its own tests`, () => {
    const short = modules
      .filter(
        ({ path, lines }) => lines < shortModuleLines && importersOf(path).length === 1 && !hasTests(path),
      )
      .map(({ path }) => `${path} belongs in ${importersOf(path).join()}`);

    expect(short).to.deep.equal([]);
  });

  it('reaches into the internals of kafkajs in one folder alone', () => {
    const elsewhere = modules
      .filter(({ path }) => !path.startsWith('shared/log/kafkajs-internals/'))
      .filter(({ path }) => /['"]kafkajs\/src\//.test(readFileSync(path, 'utf8')))
      .map(({ path }) => path);

    expect(elsewhere).to.deep.equal([]);
  });
});
