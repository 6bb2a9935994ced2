import { setImmediate as endOfTurn } from 'node:timers/promises';

import type { Mode } from '../../shared/domain/fact.js';
import type { Webhook } from '../../shared/domain/webhook.js';
import { UnavailableError } from '../../shared/errors.js';
import type { WebhookDocument } from '../../shared/mongo/documents.js';
import type { ReadModel } from '../../shared/mongo/readModels.js';
import { webhookAge } from '../../shared/webhookAge.js';

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

/**
 * Reads webhooks from the read model, once for all who ask in the same turn of the event loop: a batch of a thousand
 * events of one account costs one read. What was read is used again only for those who ask for nothing newer.
 */
export function createWebhookReader(model: Pick<ReadModel<WebhookDocument>, 'findAll'>): WebhookReader {
  const reads = new Map<string, Read>();
  let turn: Promise<ReadonlyMap<string, readonly Webhook[]>> | null = null;
  let asked = new Map<string, { accountId: string; mode: Mode }>();

  const readAsked = async () => {
    await endOfTurn();
    const owners = [...asked.values()];
    asked = new Map();
    turn = null;
    const { documents, meta } = await model.findAll({ $or: owners });
    if (!meta.complete) {
      throw new UnavailableError('the read model "webhooks" is being built from the log');
    }
    return groupedByOwner(documents.flatMap(webhookOf));
  };

  const readSoon = (accountId: string, mode: Mode): Read => {
    const owner = ownerOf({ accountId, mode });
    asked.set(owner, { accountId, mode });
    turn ??= readAsked();
    const readAt = performance.now();
    const readTime = Date.now();
    const snapshot = turn.then((byOwner) => ({ readAt, webhooks: byOwner.get(owner) ?? [] }));
    return { readAt, readTime, snapshot };
  };

  const forgetOld = () => {
    const oldest = performance.now() - webhookAge.attempting;
    for (const [owner, { readAt }] of reads) {
      if (readAt >= oldest) {
        return;
      }
      reads.delete(owner);
    }
  };

  return {
    webhooksOf: (accountId, mode, { notBefore, notBeforeTime = 0 }) => {
      forgetOld();
      const owner = ownerOf({ accountId, mode });
      const known = reads.get(owner);
      if (known !== undefined && known.readAt >= notBefore && known.readTime >= notBeforeTime) {
        return known.snapshot;
      }
      const read = readSoon(accountId, mode);
      // Deleted first: a Map keeps the order of first insertion, and `forgetOld` goes by it.
      reads.delete(owner);
      reads.set(owner, read);
      read.snapshot.catch(() => {
        if (reads.get(owner) === read) {
          reads.delete(owner);
        }
      });
      return read.snapshot;
    },
  };
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
  const { _id: id, positions, recordIds, ...state } = document;
  return state.status === 'deleted' ? [] : [{ id, ...state }];
}
