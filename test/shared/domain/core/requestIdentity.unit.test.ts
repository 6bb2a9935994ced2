import { expect } from 'chai';
import fc from 'fast-check';

import {
  createIdentifiers,
  identifierTime,
  isIdentifier,
  isRecordId,
} from '../../../../shared/domain/core/identifiers.js';
import {
  freshIdentity,
  seededIdentity,
  type RequestIdentity,
} from '../../../../shared/domain/core/requestIdentity.js';
import { secondsLater, start } from '../../../support/facts.js';
import { itHolds } from '../../../support/itHolds.js';

const seed = Buffer.alloc(32, 1);
const anySeed = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));

/** All values of an identity. */
function giftsOf(identity: RequestIdentity): readonly string[] {
  return [
    identity.id('evt'),
    identity.id('wh'),
    identity.recordId(),
    identity.recordId('a'),
    identity.secret().toString('hex'),
  ];
}

describe('seededIdentity', () => {
  itHolds('returns the same values for every request', [anySeed], (bytes) => {
    const [first, second] = [false, true].map((isRepeat) =>
      giftsOf(seededIdentity({ created: start, isRepeat, seed: Buffer.from(bytes) })),
    );

    expect(first).to.deep.equal(second);
  });

  it('gives the same in every version, since a request may be repeated after an upgrade', () => {
    expect(giftsOf(seededIdentity({ created: start, isRepeat: true, seed }))).to.deep.equal([
      'evt_01JD4RVPA02GF90Y8CVBA5TAR6',
      'wh_01JD4RVPA0NNVMZ2W5GJH1C62D',
      '01JD4RVPA0CDSMRWG5P12FK77K',
      '01JD4RVPA0TJ54MQY5J79KHPBB',
      'd0f96e0e09173c52da5ecd22cd69ac602f2963111bae023ad5a5a95111ea1a09',
    ]);
  });

  it('returns different values for different names', () => {
    const parts = giftsOf(seededIdentity({ created: start, isRepeat: false, seed })).map((gift) =>
      gift.slice(-16),
    );

    expect(new Set(parts).size).to.equal(5);
  });

  itHolds('returns other values for every other seed', [anySeed, anySeed], (one, other) => {
    fc.pre(!one.equals(other));
    const [first = [], second = []] = [one, other].map((bytes) =>
      giftsOf(seededIdentity({ created: start, isRepeat: false, seed: bytes })),
    );

    expect(first.filter((gift) => second.includes(gift))).to.deep.equal([]);
  });

  itHolds('returns valid ids of its time', [anySeed], (bytes) => {
    const identity = seededIdentity({ created: secondsLater(5), isRepeat: false, seed: bytes });
    const id = identity.id('wh');

    expect([isIdentifier('wh', id), isRecordId(identity.recordId()), identifierTime(id)]).to.deep.equal([
      true,
      true,
      secondsLater(5),
    ]);
  });

  it('returns a secret of 32 bytes', () => {
    expect(seededIdentity({ created: start, isRepeat: false, seed }).secret().length).to.equal(32);
  });

  it('does not reveal its seed in its values', () => {
    const gifts = giftsOf(seededIdentity({ created: start, isRepeat: false, seed })).join();

    expect(gifts).not.to.contain(seed.toString('hex').slice(0, 16));
  });
});

describe('freshIdentity', () => {
  const identity = freshIdentity(start, createIdentifiers(Math.random), (count) => Buffer.alloc(count, 9));

  it('returns ids of its time', () => {
    expect([identity.created, identifierTime(identity.id('evt'))]).to.deep.equal([start, start]);
  });

  it('is not a repeat', () => {
    expect(identity.isRepeat).to.equal(false);
  });

  it('returns another id for each record', () => {
    expect(identity.recordId()).not.to.equal(identity.recordId());
  });

  it('returns a secret of 32 bytes', () => {
    expect(identity.secret()).to.deep.equal(Buffer.alloc(32, 9));
  });
});
