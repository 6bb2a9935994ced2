import process from 'node:process';

import { expect } from 'chai';

import { nodeVersions, referenceNode, runsOn } from '../../bench/nodeProgram.js';

describe('the version of Node of the benchmark', () => {
  it('is 20 or 24, and 24 by default', () => {
    expect({ nodeVersions, referenceNode }).to.deep.equal({
      nodeVersions: ['20', '24'],
      referenceNode: '24',
    });
  });

  it('is recognized by its major number', () => {
    const [major = ''] = process.versions.node.split('.');
    expect([major, '2', '99'].map(runsOn)).to.deep.equal([true, false, false]);
  });
});
