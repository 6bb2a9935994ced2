import { expect } from 'chai';

import { createAbortCallbacks } from '../../../shared/concurrency/abortCallbacks.js';

describe('the abort callbacks of a signal', () => {
  it('are called once each, no matter how many one signal has', () => {
    const { add } = createAbortCallbacks();
    const { signal, ...controller } = controlled();
    const called: number[] = [];
    for (let waiting = 0; waiting < 1000; waiting += 1) {
      add(signal, () => called.push(waiting));
    }
    controller.abort();
    controller.abort();
    expect(called).to.have.length(1000);
  });

  it('are not called after their removal', () => {
    const { add } = createAbortCallbacks();
    const { signal, abort } = controlled();
    const called: string[] = [];
    add(signal, () => called.push('waits'));
    const withdraw = add(signal, () => called.push('withdrawn'));
    withdraw();
    abort();
    expect(called).to.deep.equal(['waits']);
  });

  it('are not called if another signal is aborted', () => {
    const { add } = createAbortCallbacks();
    const one = controlled();
    const other = controlled();
    const called: string[] = [];
    add(one.signal, () => called.push('one'));
    add(other.signal, () => called.push('other'));
    other.abort();
    expect(called).to.deep.equal(['other']);
  });
});

function controlled() {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    abort: () => {
      controller.abort();
    },
  };
}
