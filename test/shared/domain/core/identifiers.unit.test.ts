import { expect } from 'chai';
import fc from 'fast-check';

import { createRandom } from '../../../../shared/core/random.js';
import {
  createIdentifiers,
  identifierPattern,
  identifierTime,
  isIdentifier,
  isRecordId,
  type IdentifierPrefix,
} from '../../../../shared/domain/core/identifiers.js';
import { itHolds } from '../../../support/itHolds.js';

const prefixes: readonly IdentifierPrefix[] = ['evt', 'wh', 'key', 'att', 'rpl', 'acct', 'req'];
const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

/** All times of a ULID's 48 bits, except for 1970's first millisecond. */
const moments = fc.integer({ min: 1, max: 2 ** 48 - 1 }).map((milliseconds) => new Date(milliseconds));

describe('Identifiers', () => {
  const identifiers = createIdentifiers(createRandom());

  it('consist of a prefix and a ULID', () => {
    for (const prefix of prefixes) {
      expect(identifiers.create(prefix, new Date())).to.match(
        new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`),
      );
    }
  });

  it('are a ULID alone for a record that creates no resource', () => {
    expect(isRecordId(identifiers.createRecordId(new Date()))).to.equal(true);
  });

  itHolds(
    'contain the time of their creation, to the millisecond',
    [moments, fc.constantFrom(...prefixes)],
    (at, prefix) => {
      expect(identifierTime(identifiers.create(prefix, at))).to.deep.equal(at);
    },
  );

  itHolds('contain the time of their creation without a prefix too', [moments], (at) => {
    expect(identifierTime(identifiers.createRecordId(at))).to.deep.equal(at);
  });

  it('contain the time that the ULID specification gives as its example', () => {
    expect(identifierTime(`evt_${ulid}`).getTime()).to.equal(1469922850259);
  });

  itHolds('sort as texts by the time of their creation', [moments, moments], (one, other) => {
    const [first, second] = [one, other].map((at) => identifiers.create('evt', at));

    expect(Math.sign(one.getTime() - other.getTime()) * compare(first ?? '', second ?? '')).to.be.at.least(0);
  });

  it('differ within one millisecond', () => {
    const at = new Date();
    const made = Array.from({ length: 10_000 }, () => identifiers.create('evt', at));

    expect(new Set(made).size).to.equal(made.length);
  });

  it('follow from the time and the random numbers alone', () => {
    const made = [1, 2].map(() => createIdentifiers(() => 0.5).create('evt', new Date(0x123456789)));

    expect(made).to.deep.equal(['evt_0004HMASW9GGGGGGGGGGGGGGGG', 'evt_0004HMASW9GGGGGGGGGGGGGGGG']);
  });
});

/** The order of texts in the log and MongoDB: by code units. */
function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

describe('isIdentifier', () => {
  it('accepts each id that is created here', () => {
    const { create } = createIdentifiers(createRandom());
    fc.assert(
      fc.property(moments, fc.constantFrom(...prefixes), (at, prefix) => {
        expect(isIdentifier(prefix, create(prefix, at))).to.equal(true);
      }),
    );
  });

  const refused = {
    'no text': '',
    'the prefix alone': 'evt_',
    'a ULID alone': ulid,
    'another prefix': `wh_${ulid}`,
    'no underscore': `evt${ulid}`,
    'a prefix in capitals': `EVT_${ulid}`,
    'small letters': `evt_${ulid.toLowerCase()}`,
    'a letter too few': `evt_${ulid.slice(1)}`,
    'a letter too many': `evt_${ulid}0`,
    'a time beyond 48 bits': `evt_8${ulid.slice(1)}`,
    'a letter that is left out of Crockford’s alphabet: I': `evt_${ulid.slice(0, -1)}I`,
    'a letter that is left out of Crockford’s alphabet: L': `evt_${ulid.slice(0, -1)}L`,
    'a letter that is left out of Crockford’s alphabet: O': `evt_${ulid.slice(0, -1)}O`,
    'a letter that is left out of Crockford’s alphabet: U': `evt_${ulid.slice(0, -1)}U`,
    'a space before': ` evt_${ulid}`,
    'a line end behind': `evt_${ulid}\n`,
    'a second id': `evt_${ulid},evt_${ulid}`,
    'full-width digits': `evt_${ulid.slice(0, -1)}１`,
  };
  it('rejects other texts', () => {
    const accepted = Object.entries(refused).filter(([, text]) => isIdentifier('evt', text));
    expect(accepted).to.deep.equal([]);
  });

  it('accepts the greatest time that fits', () => {
    expect(isIdentifier('evt', `evt_7${'Z'.repeat(25)}`)).to.equal(true);
  });

  it('is described by a pattern, with the text before it', () => {
    const id = `evt_${ulid}`;
    const matches = (before: string | undefined, text: string) => identifierPattern('evt', before).test(text);

    expect([
      matches(undefined, id),
      matches('events/', `events/${id}`),
      matches(undefined, `events/${id}`),
      matches(undefined, `${id}0`),
      matches(undefined, `wh_${ulid}`),
    ]).to.deep.equal([true, true, false, false, false]);
  });
});
