import { expect } from 'chai';

import { createExchangeAbort } from '../../../consumers/http/deadline.js';

/** An abort with this number of listeners, and the indexes of the listeners that were called. */
function abortWithListeners(count: number) {
  const abort = createExchangeAbort();
  const called: number[] = [];
  const listeners = Array.from({ length: count }, (_, index) => () => called.push(index));
  for (const listener of listeners) {
    abort.signal.addEventListener('abort', listener);
  }
  return { ...abort, called, listeners };
}

describe('the abort signal of an exchange', () => {
  it('has the class name by which node-fetch recognizes a signal', () => {
    expect(createExchangeAbort().signal.constructor.name).to.equal('AbortSignal');
  });

  it('is not aborted at first', () => {
    expect(createExchangeAbort().signal.aborted).to.equal(false);
  });

  it('is aborted when its listeners are called', () => {
    const { signal, abort } = createExchangeAbort();
    const seen: boolean[] = [];
    signal.addEventListener('abort', () => seen.push(signal.aborted));
    abort();

    expect(seen).to.deep.equal([true]);
  });

  it('calls each listener once, even if it is aborted twice', () => {
    const { abort, called } = abortWithListeners(2);
    abort();
    abort();

    expect(called).to.deep.equal([0, 1]);
  });

  it('does not call a listener that was removed', () => {
    const { signal, abort, called, listeners } = abortWithListeners(3);
    signal.removeEventListener('abort', listeners[1] ?? expect.fail());
    abort();

    expect(called).to.deep.equal([0, 2]);
  });
});
