import { expect } from 'chai';

import { statField } from '../../../shared/runtime/processStat.js';

describe('the fields in the stat line of a process', () => {
  it('are counted correctly after a name with spaces and brackets', () => {
    expect(statField('17 (a ) b) R 4 5', 4)).to.equal('4');
  });

  it('are undefined beyond the last field', () => {
    expect(statField('17 (node) R 4', 22)).to.equal(undefined);
  });
});
