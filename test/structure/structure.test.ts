import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { execFileSync } from 'node:child_process';

import { expect } from 'chai';

/** Rules of the tree that dependency-cruiser cannot express. Directions between folders are in `.dependency-cruiser.js`. */

const folders = ['api', 'cli', 'consumers', 'projections', 'shared', 'stack'];
/** A folder with more files contains more than one idea. */
const maximumFiles = 13;

function trackedFiles(...patterns: readonly string[]): readonly string[] {
  return execFileSync('git', ['ls-files', '--', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '');
}

const modules = trackedFiles(...folders.map((folder) => `${folder}/**/*.ts`));

describe('the tree of modules', () => {
  it(`has at most ${maximumFiles} modules in a folder`, () => {
    const byFolder = new Map<string, string[]>();
    for (const path of modules) {
      byFolder.set(dirname(path), [...(byFolder.get(dirname(path)) ?? []), basename(path)]);
    }
    const large = [...byFolder].filter(([, names]) => names.length > maximumFiles).map(([folder]) => folder);

    expect(large).to.deep.equal([]);
  });

  it('uses the internals of kafkajs in one folder alone', () => {
    const elsewhere = modules
      .filter((path) => !path.startsWith('shared/log/kafkajs-internals/'))
      .filter((path) => /['"]kafkajs\/src\//.test(readFileSync(path, 'utf8')));

    expect(elsewhere).to.deep.equal([]);
  });
});
