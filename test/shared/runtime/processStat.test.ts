import { expect } from 'chai';

import { statField } from '../../../shared/runtime/processStat.js';

describe('the fields of a process', () => {
  it('are counted behind a name with blanks and brackets', () => {
    expect(statField('17 (a ) b) R 4 5', 4)).to.equal('4');
  });

  it('are undefined where there are not so many', () => {
    expect(statField('17 (node) R 4', 22)).to.equal(undefined);
  });
});
