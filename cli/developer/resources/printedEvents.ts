import { createHash } from 'node:crypto';

const maximumEvents = 10_000;

/**
 * Remembers the newest events that were printed. A stream repeats events after another connection, and also sends an
 * event again when its deliveries have changed.
 * @returns a function that says whether the text of an event differs from its last text
 */
export function createPrintedEvents(maximum = maximumEvents): (id: string, text: string) => boolean {
  /** The digests of the texts by event, oldest first. */
  const digests = new Map<string, string>();
  return (id, text) => {
    const digest = createHash('sha256').update(text).digest('base64');
    if (digests.get(id) === digest) {
      return false;
    }
    digests.delete(id);
    digests.set(id, digest);
    for (const oldest of digests.keys()) {
      if (digests.size <= maximum) {
        break;
      }
      digests.delete(oldest);
    }
    return true;
  };
}
