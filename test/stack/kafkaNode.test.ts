import { expect } from 'chai';

import { newClusterId } from '../../stack/kafkaNode.js';

describe('newClusterId', () => {
  it('gives 16 bytes in base64url that no command line takes for an option', () => {
    const ids = Array.from({ length: 1_000 }, newClusterId);

    expect(ids.filter((id) => !/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/.test(id))).to.deep.equal([]);
  });
});
