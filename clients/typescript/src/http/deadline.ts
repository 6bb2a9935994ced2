/** When work is given up. */
export interface Deadline {
  readonly milliseconds: number;
  /** The error of the call if the time is up. */
  readonly onTimeout: () => Error;
  /** The signal of the caller. */
  readonly signal: AbortSignal | undefined;
}

/**
 * The result of the work, unless the time is up or the caller aborts its signal before. The work gets a signal for both
 * cases. If it ignores the signal, the call ends all the same.
 * @throws what `onTimeout` returns, or the reason of the caller's signal
 */
export async function withDeadline<Result>(
  { milliseconds, onTimeout, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const ended = new Promise<never>((_resolve, reject) => {
    ending.signal.addEventListener('abort', () => {
      reject(ending.signal.reason as Error);
    });
  });
  const timer = setTimeout(() => {
    ending.abort(onTimeout());
  }, milliseconds);
  const onAbort = (): void => {
    ending.abort(signal?.reason);
  };
  signal?.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work(ending.signal), ended]);
  } finally {
    clearTimeout(timer);
    // A signal that lives as long as the program must not collect a listener for each call.
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * Waits, unless the caller aborts its signal.
 * @throws the reason of the signal
 */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
