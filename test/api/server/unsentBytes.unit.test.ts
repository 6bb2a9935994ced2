import { expect } from 'chai';
import fc from 'fast-check';

import { createUnsentBytes } from '../../../api/server/unsentBytes.js';
import { itHolds } from '../../support/itHolds.js';

const limits = { ofProcess: 1000, ofOwner: 300 };

describe('the count of unsent bytes', () => {
  it('is limited for each owner', () => {
    const unsent = createUnsentBytes(limits);
    unsent.add('a', 200);
    expect([unsent.hasRoom('a', 100), unsent.hasRoom('a', 101)]).to.deep.equal([true, false]);
  });

  it('contains bytes until they are sent', () => {
    const unsent = createUnsentBytes(limits);
    const [first, second] = [unsent.add('a', 200), unsent.add('a', 50)];
    first();
    first();
    expect([unsent.total(), unsent.hasRoom('a', 250)]).to.deep.equal([50, true]);
    second();
    expect(unsent.total()).to.equal(0);
  });

  it('leaves an equal share to each owner when the process has reached its limit', () => {
    const unsent = createUnsentBytes(limits);
    unsent.add('a', 260);
    unsent.add('b', 300);
    unsent.add('c', 300);
    unsent.add('d', 140);
    expect([unsent.hasRoom('d', 110), unsent.hasRoom('d', 111), unsent.hasRoom('a', 10)]).to.deep.equal([
      true,
      false,
      false,
    ]);
  });

  itHolds(
    'exceeds the limit of the process by at most the logarithm of the number of owners',
    [fc.array(fc.tuple(fc.nat(50), fc.nat(400)), { maxLength: 500, size: 'max' })],
    (responses) => {
      const unsent = createUnsentBytes(limits);
      for (const [owner, bytes] of responses) {
        if (unsent.hasRoom(String(owner), bytes)) {
          unsent.add(String(owner), bytes);
        }
      }
      expect(unsent.total()).to.be.at.most(limits.ofProcess * (1 + Math.log(51)));
    },
  );
});
