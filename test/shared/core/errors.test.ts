import { expect } from 'chai';

import { messageOf, UnavailableError } from '../../../shared/core/errors.js';

describe('messageOf', () => {
  const thrown: Record<string, { error: unknown; message: string }> = {
    'an error': { error: new TypeError('no'), message: 'no' },
    'a text': { error: 'no', message: 'no' },
    nothing: { error: undefined, message: 'undefined' },
    null: { error: null, message: 'null' },
    'a number': { error: 7, message: '7' },
  };
  for (const [what, { error, message }] of Object.entries(thrown)) {
    it(`is a text where ${what} was thrown`, () => {
      expect(messageOf(error)).to.equal(message);
    });
  }
});

describe('UnavailableError', () => {
  it('asks to be called again after a second', () => {
    expect(new UnavailableError('away').retryAfterSeconds).to.equal(1);
  });

  it('asks to be called again after as many seconds as it is told', () => {
    expect(new UnavailableError('away', { retryAfterSeconds: 2 }).retryAfterSeconds).to.equal(2);
  });

  it('keeps what caused it', () => {
    const cause = new Error('refused');

    expect(new UnavailableError('away', { cause }).cause).to.equal(cause);
  });

  it('is told from other errors by its name', () => {
    expect(String(new UnavailableError('away'))).to.equal('UnavailableError: away');
  });
});
