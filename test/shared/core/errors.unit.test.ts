import { expect } from 'chai';

import { messageOf, UnavailableError } from '../../../shared/core/errors.js';

describe('messageOf', () => {
  const thrown: Record<string, { error: unknown; message: string }> = {
    'an error': { error: new TypeError('no'), message: 'no' },
    'a string': { error: 'no', message: 'no' },
    nothing: { error: undefined, message: 'undefined' },
    null: { error: null, message: 'null' },
    'a number': { error: 7, message: '7' },
  };
  for (const [what, { error, message }] of Object.entries(thrown)) {
    it(`is a string if ${what} was thrown`, () => {
      expect(messageOf(error)).to.equal(message);
    });
  }
});

describe('UnavailableError', () => {
  it('requests a retry after a second by default', () => {
    expect(new UnavailableError('unavailable').retryAfterSeconds).to.equal(1);
  });

  it('requests a retry after the given number of seconds', () => {
    expect(new UnavailableError('unavailable', { retryAfterSeconds: 2 }).retryAfterSeconds).to.equal(2);
  });

  it('contains its cause', () => {
    const cause = new Error('connection refused');

    expect(new UnavailableError('unavailable', { cause }).cause).to.equal(cause);
  });

  it('has its own name', () => {
    expect(String(new UnavailableError('unavailable'))).to.equal('UnavailableError: unavailable');
  });
});
