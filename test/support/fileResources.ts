import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

import { messageOf } from '../../shared/core/errors.js';

/** A channel instead of a list, because tsx may load a module twice in a process: as CommonJS and as an ES module. */
const ends = 'test file ends';

/**
 * Held for the whole process: if Node.js 20 frees a channel without subscribers, it may forget a new one of the same name with it, and
 * then the resources of a file stay open.
 */
const heldChannel = channel(ends);

/**
 * Closes a resource of this process at the end of the present test file, the one that was opened last first.
 * @returns closes it earlier; further calls do nothing
 */
export function closeAtEndOfFile(close: () => unknown): () => Promise<void> {
  let closed: Promise<void> | null = null;
  const onEnd = (closing: unknown) => {
    unsubscribe(ends, onEnd);
    if (Array.isArray(closing)) {
      closing.push(closeOnce);
    }
  };
  const closeOnce = () => {
    unsubscribe(ends, onEnd);
    return (closed ??= closeNow());
  };
  const closeNow = async () => {
    await close();
  };
  subscribe(ends, onEnd);
  return closeOnce;
}

/**
 * Closes the resources of a test file after its last test.
 * @throws AggregateError if some could not be closed, after all others are closed
 */
export async function endFile(): Promise<void> {
  const closing: (() => Promise<void>)[] = [];
  heldChannel.publish(closing);
  const failures: unknown[] = [];
  for (const close of closing.reverse()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) {
    throw new AggregateError(
      failures,
      `resources of the file could not be closed: ${failures.map(messageOf).join('; ')}`,
    );
  }
}

let beganAt = Date.now();

/** Notes that a test file begins. */
export function beginFile(): void {
  beganAt = Date.now();
}

/** When the present test file began or an earlier moment, in milliseconds since 1970. */
export function fileBeganAt(): number {
  return beganAt;
}
