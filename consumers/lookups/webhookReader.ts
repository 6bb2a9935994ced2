import { setImmediate as endOfTurn } from 'node:timers/promises';

import type { Mode } from '../../shared/domain/core/fact.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { WebhookDocument } from '../../shared/store/models/documents.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';
import { maximumStaleness } from '../../shared/commands/maximumStaleness.js';

/** The webhooks of one account and mode, as they stood at a moment. */
export interface WebhookSnapshot {
  /** When the read began, by `performance.now()`. */
  readonly readAt: number;
  readonly webhooks: readonly Webhook[];
}

/** What was read earlier is not good enough. */
export interface Freshness {
  /** By `performance.now()`. */
  readonly notBefore: number;
  /**
   * In milliseconds since 1970, for what is to be newer than something that another process did. The clock of the first kind
   * stands still while a virtual machine does, and would call old what is new.
   */
  readonly notBeforeTime?: number;
}

export interface WebhookReader {
  /**
   * The webhooks of an account and mode as they stood at a moment, or later.
   * @throws UnavailableError while the model is incomplete: an event must never be taken for one that nobody wants
   */
  webhooksOf: (accountId: string, mode: Mode, freshness: Freshness) => Promise<WebhookSnapshot>;
}

interface Read {
  readonly readAt: number;
  readonly readTime: number;
  readonly snapshot: Promise<WebhookSnapshot>;
}

/** What was read of one account and mode, and what is being read in its place while it serves. */
interface Known {
  readonly read: Read;
  ahead: Read | null;
}

/** The index of lists serves it: deleted webhooks are not even passed in the index. Retries have to know of disabled ones. */
const notDeleted = { status: { $in: ['active', 'disabled'] satisfies readonly Webhook['status'][] } };

/**
 * Who could not use a read any more so much later has the next one begun, and does not wait for it: with fifty events a second or more
 * none of them does.
 */
const readAheadMs = 20;

/**
 * Reads webhooks from the read model, once for all who ask in the same turn of the event loop: a batch of a thousand
 * events of one account costs one read. What was read is used again only for those who ask for nothing newer, and is read ahead
 * where it is asked for again and again.
 * @param now milliseconds of `performance.now()`
 */
export function createWebhookReader(
  model: Pick<ReadModel<WebhookDocument>, 'findAll'>,
  now: () => number,
): WebhookReader {
  const known = new Map<string, Known>();
  let turn: Promise<ReadonlyMap<string, readonly Webhook[]>> | null = null;
  let asked = new Map<string, { accountId: string; mode: Mode }>();

  const readAsked = async () => {
    await endOfTurn();
    const owners = [...asked.values()].map((owner) => ({ ...owner, ...notDeleted }));
    asked = new Map();
    turn = null;
    const { documents, meta } = await model.findAll({ $or: owners }, { without: ['recordIds'] });
    if (!meta.complete) {
      throw new UnavailableError('the read model "webhooks" is being built from the log');
    }
    return groupedByOwner(documents.flatMap(webhookOf));
  };

  const readSoon = (accountId: string, mode: Mode): Read => {
    const owner = ownerOf({ accountId, mode });
    asked.set(owner, { accountId, mode });
    turn ??= readAsked();
    const readAt = now();
    const readTime = Date.now();
    const snapshot = turn.then((byOwner) => ({ readAt, webhooks: byOwner.get(owner) ?? [] }));
    return { readAt, readTime, snapshot };
  };

  const forgetOld = () => {
    const oldest = now() - maximumStaleness.attempting;
    for (const [owner, { read }] of known) {
      if (read.readAt >= oldest) {
        return;
      }
      known.delete(owner);
    }
  };

  /** From now on `read` serves, until it fails. */
  const serve = (owner: string, read: Read): void => {
    // Deleted first: a Map keeps the order of first insertion, and `forgetOld` goes by it.
    known.delete(owner);
    known.set(owner, { read, ahead: null });
    read.snapshot.catch(() => {
      if (known.get(owner)?.read === read) {
        known.delete(owner);
      }
    });
  };

  const readAhead = (accountId: string, mode: Mode, before: Known): void => {
    const owner = ownerOf({ accountId, mode });
    const next = readSoon(accountId, mode);
    before.ahead = next;
    // A read that somebody has waited for meanwhile serves already.
    const stillServes = () => known.get(owner) === before;
    next.snapshot.then(
      () => stillServes() && serve(owner, next),
      () => {
        before.ahead = null;
      },
    );
  };

  return {
    webhooksOf: (accountId, mode, freshness) => {
      forgetOld();
      const owner = ownerOf({ accountId, mode });
      const before = known.get(owner);
      if (before !== undefined && isFresh(before.read, freshness)) {
        if (isFadingFor(before, freshness)) {
          readAhead(accountId, mode, before);
        }
        return before.read.snapshot;
      }
      const ahead = before?.ahead ?? null;
      const read = ahead !== null && isFresh(ahead, freshness) ? ahead : readSoon(accountId, mode);
      serve(owner, read);
      return read.snapshot;
    },
  };
}

function isFresh({ readAt, readTime }: Read, { notBefore, notBeforeTime = 0 }: Freshness): boolean {
  return readAt >= notBefore && readTime >= notBeforeTime;
}

/** Whether a read is good enough for hardly any longer, and no other one is under way. */
function isFadingFor({ read, ahead }: Known, { notBefore }: Freshness): boolean {
  return ahead === null && read.readAt < notBefore + readAheadMs;
}

function ownerOf({ accountId, mode }: { accountId: string; mode: Mode }): string {
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

function webhookOf(document: WebhookDocument): Webhook[] {
  const { _id: id, positions, recordIds: _notRead, ...state } = document;
  return state.status === 'deleted' ? [] : [{ id, ...state }];
}
