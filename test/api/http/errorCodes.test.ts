import { readFileSync } from 'node:fs';

import { expect } from 'chai';

import { errorsPage } from '../../contract/errorsPage.js';

describe('the table of error codes', () => {
  it('are those of docs/errors.md: npm run docs:errors writes it', () => {
    expect(readFileSync('docs/errors.md', 'utf8')).to.equal(errorsPage());
  });
});
