import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';

/** Runs something later, in virtual time. */
export interface Timers {
  /** Milliseconds since the schedule began. */
  readonly now: () => number;
  /** @returns a function that cancels it */
  readonly after: (delayMs: number, run: () => void) => () => void;
}

/** The start of each schedule, in milliseconds since 1970. */
export const scheduleBegin = Date.UTC(2026, 0, 1);

/**
 * Replaces the clocks and timers of Node by those of the schedule that runs. The modules need no change for it: they read the
 * clocks and timers through these objects, and `syncBuiltinESMExports` renews what they have imported.
 * @param current the timers of the schedule that runs
 * @returns what restores the clocks and timers
 */
export function installVirtualTime(current: () => Timers): () => void {
  const restores = [
    replace(globalThis, 'setTimeout', (run: () => void, delayMs = 0) =>
      handleOf(current().after(delayMs, run)),
    ),
    replace(globalThis, 'clearTimeout', (handle?: unknown) => {
      if (isHandle(handle)) {
        handle.cancel();
      }
    }),
    replace(Date, 'now', () => scheduleBegin + current().now()),
    replace(performance, 'now', () => current().now()),
    // Modules wait for the world alone, and never for the CPU.
    replace(performance, 'eventLoopUtilization', () => ({
      idle: current().now(),
      active: 0,
      utilization: 0,
    })),
    replace(timersPromises, 'setTimeout', pauseWith(current)),
    replace(timersPromises, 'setImmediate', () => pauseWith(current)(0)),
  ];
  syncBuiltinESMExports();
  return () => {
    restores.forEach((restore) => restore());
    syncBuiltinESMExports();
  };
}

interface Handle {
  readonly cancel: () => void;
  readonly unref: () => Handle;
}

function handleOf(cancel: () => void): Handle {
  const handle: Handle = { cancel, unref: () => handle };
  return handle;
}

function isHandle(value: unknown): value is Handle {
  return typeof value === 'object' && value !== null && 'cancel' in value;
}

function pauseWith(current: () => Timers) {
  return (delayMs = 0, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise<unknown>((resolve, reject) => {
      const cancel = current().after(delayMs, () => resolve(value));
      signal?.addEventListener('abort', () => {
        cancel();
        reject(new DOMException('The operation was aborted', 'AbortError'));
      });
    });
}

/** @returns a function that restores the former property */
function replace(owner: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  return () => {
    if (before === undefined) {
      Reflect.deleteProperty(owner, name);
    } else {
      Object.defineProperty(owner, name, before);
    }
  };
}
