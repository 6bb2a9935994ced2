import type { Webhook } from '../api/types.js';

/** What is known about webhooks by their ids: null for a deleted webhook. */
export type KnownById = ReadonlyMap<string, Webhook | null>;

export interface WebhookLookups {
  /** Reads a webhook, unless it is known and fresh, or is being read. */
  readonly want: (id: string) => void;
  /** Makes every known webhook stale, so that the next `want` reads it again. */
  readonly expire: () => void;
  /** Drops the reads that have not started. */
  readonly close: () => void;
}

interface WebhookLookupTerms {
  /** Reads a webhook, and returns null for a deleted webhook. */
  readonly read: (id: string) => Promise<Webhook | null>;
  readonly now: () => number;
  readonly onKnown: (known: KnownById) => void;
}

/** The number of reads at once. A list may show many webhooks, and the rate limit of the account includes the reads. */
const readsAtOnce = 2;
/** The age from which a known webhook is read again, in milliseconds. Other users change webhooks. */
const freshMs = 30_000;
/** The largest number of known webhooks. Beyond it, the webhook that was read first is dropped. */
const mostKnown = 1000;

/** Reads webhooks by their ids, for pages that show webhooks of a list which is too long to load. */
export function createWebhookLookups({ read, now, onKnown }: WebhookLookupTerms): WebhookLookups {
  const known = new Map<string, Webhook | null>();
  const readAt = new Map<string, number>();
  const waiting = new Set<string>();
  const inFlight = new Set<string>();

  const store = (id: string, webhook: Webhook | null) => {
    known.delete(id);
    known.set(id, webhook);
    readAt.set(id, now());
    for (const first of [...known.keys()].slice(0, Math.max(0, known.size - mostKnown))) {
      known.delete(first);
      readAt.delete(first);
    }
    onKnown(new Map(known));
  };

  const start = (id: string) => {
    waiting.delete(id);
    inFlight.add(id);
    read(id)
      .then((webhook) => {
        store(id, webhook);
      })
      .catch(() => {
        // The webhook stays unknown. The page wants it again with the next refresh of the list.
      })
      .finally(() => {
        inFlight.delete(id);
        startNext();
      });
  };
  const startNext = () => {
    for (const id of [...waiting].slice(0, readsAtOnce - inFlight.size)) {
      start(id);
    }
  };

  return {
    want: (id) => {
      const isFresh = now() - (readAt.get(id) ?? Number.NEGATIVE_INFINITY) < freshMs;
      if (!isFresh && !inFlight.has(id)) {
        waiting.add(id);
        startNext();
      }
    },
    expire: () => {
      readAt.clear();
    },
    close: () => {
      waiting.clear();
    },
  };
}
