import { readFileSync } from 'node:fs';

import { expect } from 'chai';

import { errorsPage } from '../../contract/errorsPage.js';

describe('the table of error codes', () => {
  it('matches docs/errors.md, which npm run docs:errors writes', () => {
    expect(readFileSync('docs/errors.md', 'utf8')).to.equal(errorsPage());
  });
});
