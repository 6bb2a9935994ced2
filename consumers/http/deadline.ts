import type { RequestInit } from 'node-fetch';

export type ExchangeSignal = NonNullable<RequestInit['signal']>;
type Listener = Parameters<ExchangeSignal['addEventListener']>[1];

/** The time limit of one attempt, which covers all exchanges of the attempt. */
export interface Deadline {
  readonly milliseconds: number;
  readonly expired: () => boolean;
  /** The abort signal of the next exchange. The end of the time limit aborts the signal, and so does `abort`. */
  readonly signal: () => ExchangeSignal;
  /** Ends the current exchange before the time limit. */
  readonly abort: () => void;
}

/** Runs work under a time limit, and stops the timer when the work ends. */
export async function withDeadline<Result>(
  milliseconds: number,
  work: (deadline: Deadline) => Promise<Result>,
): Promise<Result> {
  let abort = createExchangeAbort();
  let expired = false;
  let expiry: NodeJS.Immediate | undefined;
  // After a pause of the process, the timer fires before the event loop reads a response that has arrived in time.
  const timer = setTimeout(() => {
    expiry = setImmediate(() => {
      expired = true;
      abort.abort();
    });
  }, milliseconds);
  const deadline: Deadline = {
    milliseconds,
    expired: () => expired,
    signal: () => {
      if (abort.signal.aborted && !expired) {
        abort = createExchangeAbort();
      }
      return abort.signal;
    },
    abort: () => abort.abort(),
  };
  try {
    return await work(deadline);
  } finally {
    clearTimeout(timer);
    clearImmediate(expiry);
  }
}

/** The result of work, or `late` if the time limit ends first. The work then continues, and its result is ignored. */
export function beforeDeadline<Result>(deadline: Deadline, work: Promise<Result>): Promise<Result | 'late'> {
  const signal = deadline.signal();
  return new Promise((resolve, reject) => {
    const end = () => {
      resolve('late');
    };
    signal.addEventListener('abort', end);
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', end);
    });
  });
}

export interface ExchangeAbort {
  readonly signal: ExchangeSignal;
  /** Aborts the exchange. A second call has no effect. */
  readonly abort: () => void;
}

/** A signal for node-fetch, which recognizes a signal by the name of its class, reads `aborted` and adds listeners. */
class AbortSignal implements ExchangeSignal {
  aborted = false;
  readonly reason = undefined;
  readonly onabort = null;
  #listeners: readonly Listener[] = [];

  addEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners = [...this.#listeners, listener];
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener);
  }

  dispatchEvent(event: unknown): boolean {
    const notified = this.#listeners;
    this.aborted = true;
    this.#listeners = [];
    notified.forEach((listener) => void listener.call(this, event));
    return true;
  }

  throwIfAborted(): void {
    if (this.aborted) {
      throw new Error('the exchange was aborted');
    }
  }
}

/**
 * A replacement for Node's `AbortController`. With an `AbortController` for each exchange, V8 keeps the parts of
 * exchanges long after their end. The minor garbage collections of V8 then promote three times as many bytes and take
 * nearly twice as long.
 */
export function createExchangeAbort(): ExchangeAbort {
  const signal = new AbortSignal();
  return {
    signal,
    abort: () => {
      signal.dispatchEvent('abort');
    },
  };
}
