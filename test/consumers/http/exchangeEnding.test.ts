import { expect } from 'chai';

import { createExchangeEnding } from '../../../consumers/http/exchangeEnding.js';

/** An ending with listeners that were added, and what each was told. */
function endingWith(count: number) {
  const ending = createExchangeEnding();
  const told: number[] = [];
  const listeners = Array.from({ length: count }, (_, index) => () => told.push(index));
  for (const listener of listeners) {
    ending.signal.addEventListener('abort', listener);
  }
  return { ...ending, told, listeners };
}

describe('the ending of an exchange', () => {
  it('is known for a signal by the name of its class', () => {
    expect(createExchangeEnding().signal.constructor.name).to.equal('AbortSignal');
  });

  it('says that it is not aborted before it is', () => {
    expect(createExchangeEnding().signal.aborted).to.equal(false);
  });

  it('says that it is aborted to who is told', () => {
    const { signal, abort } = createExchangeEnding();
    const seen: boolean[] = [];
    signal.addEventListener('abort', () => seen.push(signal.aborted));
    abort();

    expect(seen).to.deep.equal([true]);
  });

  it('tells all who listen, once', () => {
    const { abort, told } = endingWith(2);
    abort();
    abort();

    expect(told).to.deep.equal([0, 1]);
  });

  it('tells nothing to who has stopped listening', () => {
    const { signal, abort, told, listeners } = endingWith(3);
    signal.removeEventListener('abort', listeners[1] ?? expect.fail());
    abort();

    expect(told).to.deep.equal([0, 2]);
  });
});
