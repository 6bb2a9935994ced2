/** Calls back on the abort of signals that thousands of callers wait under. */
export interface AbortCallbacks {
  /**
   * Has `callback` called once when the signal is aborted; not if it is aborted already.
   * @returns a function that withdraws the callback
   */
  readonly add: (signal: AbortSignal, callback: () => void) => () => void;
}

/**
 * Adds one listener for each signal. An EventTarget compares a new listener with all others, and warns of more than ten: the
 * records of a partition wait under one signal.
 */
export function createAbortCallbacks(): AbortCallbacks {
  const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

  const callbacksOf = (signal: AbortSignal): Set<() => void> => {
    const known = callbacks.get(signal);
    if (known !== undefined) {
      return known;
    }
    const added = new Set<() => void>();
    callbacks.set(signal, added);
    const callAll = () => {
      added.forEach((callback) => {
        callback();
      });
    };
    signal.addEventListener('abort', callAll, { once: true });
    return added;
  };

  return {
    add: (signal, callback) => {
      const ofSignal = callbacksOf(signal);
      // Wrapped, so that a callback that is added twice is withdrawn once.
      const added = () => {
        ofSignal.delete(added);
        callback();
      };
      ofSignal.add(added);
      return () => {
        ofSignal.delete(added);
      };
    },
  };
}
