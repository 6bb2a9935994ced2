import { setImmediate as endOfTurn } from 'node:timers/promises';

import { maximumStaleness } from '../../shared/commands/maximumStaleness.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { Mode } from '../../shared/domain/core/fact.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { WebhookDocument } from '../../shared/store/models/documents.js';
import type { ModelAnswer, ReadModel } from '../../shared/store/models/readModels.js';

/** The webhooks of one account and mode at one moment. */
export interface WebhookSnapshot {
  /** When the read began, by `performance.now()`. */
  readonly readAt: number;
  readonly webhooks: readonly Webhook[];
}

/** One webhook at one moment. The webhook is undefined if it does not exist or was deleted. */
export interface WebhookState {
  /** When the read began, by `performance.now()`. */
  readonly readAt: number;
  readonly webhook: Webhook | undefined;
}

/** How recent a read must be. */
export interface Freshness {
  /** The earliest start of the read, by `performance.now()`. */
  readonly notBefore: number;
  /**
   * The earliest start of the read in milliseconds since 1970, if the state must be newer than a change by another
   * process. `performance.now()` stops while a virtual machine is paused, so it would accept a read from before the
   * pause.
   */
  readonly notBeforeTime?: number;
}

export interface WebhookReader {
  /**
   * Returns the webhooks of an account and mode.
   * @throws UnavailableError while the model is incomplete: an event must not be matched with a part of its webhooks
   */
  readonly webhooksOf: (accountId: string, mode: Mode, freshness: Freshness) => Promise<WebhookSnapshot>;
  /**
   * Returns one webhook from a fresh read of its account, or from a read by its id.
   * @throws UnavailableError while the model is incomplete: a missing webhook must not pass for a deleted one
   */
  readonly webhookOf: (webhook: WebhookReference, freshness: Freshness) => Promise<WebhookState>;
}

/** The ids of a webhook and of its owner. */
export interface WebhookReference {
  readonly accountId: string;
  readonly mode: Mode;
  readonly webhookId: string;
}

/**
 * The filter that skips deleted webhooks; the MongoDB index for lists of webhooks serves it. Disabled webhooks remain,
 * because retries must see them.
 */
const notDeleted = { status: { $in: ['active', 'disabled'] satisfies readonly Webhook['status'][] } };

/**
 * How long before the expiry of a read the next read begins in the background. With fifty or more events a second, no
 * event waits for a read.
 */
const readAheadMs = 20;

/** @param now milliseconds of `performance.now()` */
export function createWebhookReader(
  model: Pick<ReadModel<WebhookDocument>, 'findAll' | 'findByIds'>,
  now: () => number,
): WebhookReader {
  const accounts = createFreshReads<Owner, readonly Webhook[]>(async (owners) => {
    const filters = owners.map((owner) => ({ ...owner, ...notDeleted }));
    const answer = await model.findAll({ $or: filters }, { without: ['recordIds'] });
    const byOwner = groupedByOwner(webhooksIn(answer));
    return (owner) => byOwner.get(owner) ?? [];
  }, now);
  const single = createFreshReads<string, Webhook | undefined>(async (ids) => {
    const answer = await model.findByIds(ids, { without: ['recordIds'] });
    const byId = new Map(webhooksIn(answer).map((webhook) => [webhook.id, webhook]));
    return (id) => byId.get(id);
  }, now);

  return {
    webhooksOf: async (accountId, mode, freshness) => {
      const { readAt, value } = await accounts.read(
        ownerOf({ accountId, mode }),
        { accountId, mode },
        freshness,
      );
      return { readAt, webhooks: value };
    },
    webhookOf: async ({ accountId, mode, webhookId }, freshness) => {
      const account = accounts.known(ownerOf({ accountId, mode }), freshness);
      if (account !== null) {
        const { readAt, value } = await account;
        return { readAt, webhook: value.find(({ id }) => id === webhookId) };
      }
      const { readAt, value } = await single.read(webhookId, webhookId, freshness);
      return { readAt, webhook: value };
    },
  };
}

interface Owner {
  readonly accountId: string;
  readonly mode: Mode;
}

function ownerOf({ accountId, mode }: Owner): string {
  return `${accountId}/${mode}`;
}

function groupedByOwner(webhooks: readonly Webhook[]): ReadonlyMap<string, readonly Webhook[]> {
  const groups = new Map<string, Webhook[]>();
  for (const webhook of webhooks) {
    const owner = ownerOf(webhook);
    const group = groups.get(owner) ?? [];
    groups.set(owner, group);
    group.push(webhook);
  }
  return groups;
}

function webhooksIn({ documents, meta }: ModelAnswer<WebhookDocument>): readonly Webhook[] {
  if (!meta.complete) {
    throw new UnavailableError('the read model "webhooks" is being built from the log');
  }
  return documents.flatMap(({ _id: id, positions, recordIds: _notRead, ...state }) =>
    state.status === 'deleted' ? [] : [{ id, ...state }],
  );
}

interface FreshReads<Query, Value> {
  /** Returns the value of a key from an earlier read that is fresh, or from a new read. */
  readonly read: (key: string, query: Query, freshness: Freshness) => Promise<TimedValue<Value>>;
  /** Returns the value of a key from an earlier read. Returns null if no earlier read is fresh. */
  readonly known: (key: string, freshness: Freshness) => Promise<TimedValue<Value>> | null;
}

interface TimedValue<Value> {
  /** When the read began, by `performance.now()`. */
  readonly readAt: number;
  readonly value: Value;
}

interface Read<Value> {
  readonly readAt: number;
  /** When the read began, in milliseconds since 1970. */
  readonly readTime: number;
  readonly result: Promise<TimedValue<Value>>;
}

/** The read that answers for a key, and the next read of the key if it is in flight. */
interface Known<Value> {
  readonly read: Read<Value>;
  ahead: Read<Value> | null;
}

/**
 * Reads that many callers share. All keys that are requested in the same turn of the event loop are one batch. So a
 * thousand events of one account cost one read. A key that is read frequently is read again before its read expires.
 */
function createFreshReads<Query, Value>(
  readBatch: (queries: readonly Query[]) => Promise<(key: string) => Value>,
  now: () => number,
): FreshReads<Query, Value> {
  const latest = new Map<string, Known<Value>>();
  let batch: Promise<(key: string) => Value> | null = null;
  let requested = new Map<string, Query>();

  const readRequested = async () => {
    await endOfTurn();
    const queries = [...requested.values()];
    requested = new Map();
    batch = null;
    return readBatch(queries);
  };

  const startRead = (key: string, query: Query): Read<Value> => {
    requested.set(key, query);
    batch ??= readRequested();
    const readAt = now();
    const readTime = Date.now();
    const result = batch.then((valueOf) => ({ readAt, value: valueOf(key) }));
    return { readAt, readTime, result };
  };

  const evictExpired = () => {
    const oldest = now() - maximumStaleness.attempting;
    for (const [key, { read }] of latest) {
      if (read.readAt >= oldest) {
        return;
      }
      latest.delete(key);
    }
  };

  /** Makes `read` the answer for its key, unless the read fails. */
  const publish = (key: string, read: Read<Value>): void => {
    // The key is deleted before it is set, because `evictExpired` relies on the insertion order of the Map.
    latest.delete(key);
    latest.set(key, { read, ahead: null });
    read.result.catch(() => {
      if (latest.get(key)?.read === read) {
        latest.delete(key);
      }
    });
  };

  const readAhead = (key: string, query: Query, before: Known<Value>): void => {
    const next = startRead(key, query);
    before.ahead = next;
    // A caller that needed a newer state may have published a newer read meanwhile.
    const isLatest = () => latest.get(key) === before;
    next.result.then(
      () => {
        if (isLatest()) {
          publish(key, next);
        }
      },
      () => {
        before.ahead = null;
      },
    );
  };

  return {
    read: (key, query, freshness) => {
      evictExpired();
      const before = latest.get(key);
      if (before !== undefined && isFresh(before.read, freshness)) {
        if (expiresSoon(before, freshness)) {
          readAhead(key, query, before);
        }
        return before.read.result;
      }
      const ahead = before?.ahead ?? null;
      const read = ahead !== null && isFresh(ahead, freshness) ? ahead : startRead(key, query);
      publish(key, read);
      return read.result;
    },
    known: (key, freshness) => {
      const before = latest.get(key);
      return before !== undefined && isFresh(before.read, freshness) ? before.read.result : null;
    },
  };
}

function isFresh({ readAt, readTime }: Read<unknown>, { notBefore, notBeforeTime = 0 }: Freshness): boolean {
  return readAt >= notBefore && readTime >= notBeforeTime;
}

/** Whether a read expires within `readAheadMs` for callers with the same freshness, and no next read is in flight. */
function expiresSoon({ read, ahead }: Known<unknown>, { notBefore }: Freshness): boolean {
  return ahead === null && read.readAt < notBefore + readAheadMs;
}
