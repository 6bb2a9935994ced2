import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

/** A channel instead of a list, because tsx may load a module twice in a process: as CommonJS and as an ES module. */
const ends = 'test file ends';

/**
 * Held for the whole process: if Node.js 20 frees a channel without subscribers, it may forget a new one of the same name with it, and
 * then the resources of a file stay open.
 */
const heldChannel = channel(ends);

/** Closes a resource of this process at the end of the present test file. */
export function closeAtEndOfFile(close: () => Promise<void>): void {
  const onEnd = (closing: unknown) => {
    unsubscribe(ends, onEnd);
    if (Array.isArray(closing)) {
      closing.push(close());
    }
  };
  subscribe(ends, onEnd);
}

/** Closes the resources of a test file after its last test. */
export async function endFile(): Promise<void> {
  const closing: Promise<void>[] = [];
  heldChannel.publish(closing);
  await Promise.all(closing);
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
