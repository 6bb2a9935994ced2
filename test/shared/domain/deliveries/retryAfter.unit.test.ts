import { expect } from 'chai';
import fc from 'fast-check';

import { parseRetryAfter } from '../../../../shared/domain/deliveries/retryAfter.js';
import { itHolds } from '../../../support/itHolds.js';

const now = new Date('2026-11-20T11:02:03.456Z');
/** Whole seconds between the years 1000 and 9999, which a date in a header can express. */
const moments = fc
  .date({ min: new Date('1000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => new Date(Math.floor(date.getTime() / 1000) * 1000));

describe('parseRetryAfter', () => {
  itHolds('adds whole seconds to the current time', [fc.nat()], (seconds) => {
    expect(parseRetryAfter(String(seconds), now)?.getTime()).to.equal(now.getTime() + seconds * 1000);
  });

  itHolds('reads every date in the forms of RFC 9110', [moments], (date) => {
    expect(parseRetryAfter(date.toUTCString(), now)).to.deep.equal(date);
  });

  itHolds(
    'returns a valid date or null for any text',
    [fc.oneof(fc.string(), fc.stringMatching(/^[ \d]{1,40}$/))],
    (text) => {
      const date = parseRetryAfter(text, now);

      expect(date === null || Number.isFinite(date.getTime())).to.equal(true);
    },
  );

  const readable = {
    '0': '2026-11-20T11:02:03.456Z',
    ' 120 ': '2026-11-20T11:04:03.456Z',
    '99999999999999999999': '+275760-09-13T00:00:00.000Z',
    'Fri, 31 Dec 1999 23:59:59 GMT': '1999-12-31T23:59:59.000Z',
    'Sunday, 06-Nov-94 08:49:37 GMT': '1994-11-06T08:49:37.000Z',
    'Friday, 20-Nov-76 08:49:37 GMT': '2076-11-20T08:49:37.000Z',
    'Friday, 20-Nov-77 08:49:37 GMT': '1977-11-20T08:49:37.000Z',
    'Sun Nov  6 08:49:37 1994': '1994-11-06T08:49:37.000Z',
    'Sat, 31 Dec 2016 23:59:60 GMT': '2017-01-01T00:00:00.000Z',
    'Thu, 29 Feb 2024 00:00:00 GMT': '2024-02-29T00:00:00.000Z',
  };
  for (const [text, expected] of Object.entries(readable)) {
    it(`reads "${text}"`, () => {
      expect(parseRetryAfter(text, now)?.toISOString()).to.equal(expected);
    });
  }

  const unreadable = [
    '',
    '-5',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    '5 s',
    '5, 6',
    'soon',
    '2026-11-20T11:02:03Z',
    'Fri, 31 Dec 1999 23:59:59',
    'Fri, 31 Dec 1999 23:59:59 +0100',
    'Fri, 31 Feb 1999 23:59:59 GMT',
    'Wed, 29 Feb 2023 00:00:00 GMT',
    'Fri, 00 Dec 1999 23:59:59 GMT',
    'Fri, 31 Dec 1999 24:00:00 GMT',
    'Fri, 31 Dec 1999 23:60:00 GMT',
  ];
  for (const text of unreadable) {
    it(`returns null for "${text}"`, () => {
      expect(parseRetryAfter(text, now)).to.equal(null);
    });
  }
});
