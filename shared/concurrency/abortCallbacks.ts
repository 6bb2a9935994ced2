/** Abort callbacks for signals that thousands of callers share. */
export interface AbortCallbacks {
  /**
   * Registers `callback`, which is called once when the signal is aborted. A signal that is already aborted does not
   * call `callback`.
   * @returns a function that removes the callback
   */
  readonly add: (signal: AbortSignal, callback: () => void) => () => void;
}

/**
 * Creates abort callbacks with one listener for each signal. All records of a partition share one signal. An
 * `EventTarget` compares a new listener with all its listeners, and warns of more than ten.
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
      // A wrapper for each registration, so that removing a callback that was added twice removes it once.
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
