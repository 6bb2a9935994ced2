import { existsSync, readFileSync } from 'node:fs';

import { expect } from 'chai';

import { mutationLists } from './mutations.js';
import { testsIn } from './titles.js';

const mutations = Object.values(mutationLists).flat();

/** Code moves on; a mutation that no longer applies proves nothing. */
describe('the mutations', () => {
  it('each replace a text that stands in its file once', () => {
    const others = mutations.filter(
      ({ file, find }) => !existsSync(file) || readFileSync(file, 'utf8').split(find).length !== 2,
    );
    expect(others.map(({ name, file }) => `${file}: ${name}`)).to.deep.equal([]);
  });

  it('each name a test file that exists', () => {
    const others = mutations.filter(({ test }) => !existsSync(test));
    expect(others.map(({ name, test }) => `${test}: ${name}`)).to.deep.equal([]);
  });

  it('each name a test that is in its file', async () => {
    const files = new Set(mutations.map(({ test }) => test).filter((test) => existsSync(test)));
    const tests = await testsIn([...files]);
    const others = mutations.filter(
      ({ test, grep }) => !tests.some(({ file, fullTitle }) => file === test && fullTitle.includes(grep)),
    );
    expect(others.map(({ test, grep }) => `${test}: ${grep}`)).to.deep.equal([]);
  });

  it('each have a name of their own', () => {
    const names = mutations.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });
});
