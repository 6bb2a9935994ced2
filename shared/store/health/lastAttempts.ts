import type { Document } from 'mongodb';

import type { Webhook } from '../../domain/webhooks/webhook.js';
import { versionKeyOf } from '../models/documents.js';
import { attemptIndexes } from '../models/indexes.js';
import { dateOf, type SnapshotReads } from './snapshotReads.js';

/** The attempts of one moment. */
export interface AttemptReads {
  readonly reads: SnapshotReads;
  /** The name of the collection of attempts. */
  readonly attempts: string;
}

/** The time of an attempt, and its place in the order of records. */
interface LastOutcome {
  readonly at: Date;
  readonly recorded: Date;
  readonly id: string;
}

export interface LastOutcomes {
  readonly succeeded: LastOutcome | null;
  readonly failed: LastOutcome | null;
}

export const neverAttempted: LastOutcomes = { succeeded: null, failed: null };

/** A version of a webhook, whose attempts say something about the webhook. */
export type WebhookVersion = Pick<Webhook, 'id' | 'version'>;

/** The last successful and the last failed attempt to the version of each webhook, in the order of their records. */
export async function lastOutcomes(
  from: AttemptReads,
  webhooks: readonly WebhookVersion[],
): Promise<ReadonlyMap<string, LastOutcomes>> {
  const [succeeded, failed] = await Promise.all([
    lastOf(from, webhooks, 'succeeded'),
    lastOf(from, webhooks, 'failed'),
  ]);
  return new Map(
    webhooks.map(({ id }) => [id, { succeeded: succeeded.get(id) ?? null, failed: failed.get(id) ?? null }]),
  );
}

/** The ids of the webhooks whose last attempt has failed. Only webhooks with a failed attempt need a second seek. */
export async function failedLast(
  from: AttemptReads,
  webhooks: readonly WebhookVersion[],
): Promise<ReadonlySet<string>> {
  const failed = await lastOf(from, webhooks, 'failed');
  const succeeded = await lastOf(
    from,
    webhooks.filter(({ id }) => failed.has(id)),
    'succeeded',
  );
  return new Set(
    [...failed].filter(([id, last]) => isLast(last, succeeded.get(id) ?? null)).map(([id]) => id),
  );
}

/** The last attempt to the version of each webhook that has ended so, by the id of the webhook. */
async function lastOf(
  { reads, attempts }: AttemptReads,
  webhooks: readonly WebhookVersion[],
  status: 'succeeded' | 'failed',
): Promise<ReadonlyMap<string, LastOutcome>> {
  const { key: index } = attemptIndexes.byRecord;
  const found =
    webhooks.length === 0
      ? new Map<string, Document>()
      : await reads.firsts(
          { name: attempts, index },
          {
            filter: { versionKey: { $in: webhooks.map(versionKeyOf) }, status },
            sort: index,
            fields: { at: 'created', recorded: 'recorded', id: '_id' },
          },
        );
  const outcomes = webhooks.map(
    (webhook) => [webhook.id, outcomeOf(found.get(versionKeyOf(webhook)))] as const,
  );
  return new Map(outcomes.flatMap(([id, outcome]) => (outcome === null ? [] : [[id, outcome] as const])));
}

function outcomeOf(document: Document | undefined): LastOutcome | null {
  const [at, recorded] = [dateOf(document?.['at']), dateOf(document?.['recorded'])];
  return document === undefined || at === null || recorded === null
    ? null
    : { at, recorded, id: String(document['id']) };
}

/** Whether the record of an attempt follows the record of another one. Equal times are ordered by the ids. */
export function isLast(outcome: LastOutcome | null, other: LastOutcome | null): boolean {
  if (outcome === null || other === null) {
    return outcome !== null;
  }
  const difference = outcome.recorded.getTime() - other.recorded.getTime();
  return difference > 0 || (difference === 0 && outcome.id > other.id);
}

/** The first failed attempt after the last success, for the webhooks whose last attempt has failed. */
export async function firstFailuresOf(
  { reads, attempts }: AttemptReads,
  webhooks: readonly WebhookVersion[],
  outcomes: ReadonlyMap<string, LastOutcomes>,
): Promise<ReadonlyMap<string, Date | null>> {
  const { key: index } = attemptIndexes.byRecord;
  const ranges = webhooks.flatMap((webhook) => {
    const { failed, succeeded } = outcomes.get(webhook.id) ?? neverAttempted;
    const filter = {
      versionKey: versionKeyOf(webhook),
      status: 'failed',
      ...(succeeded !== null && recordedAfter(succeeded)),
    };
    const sort = { versionKey: -1, status: -1, recorded: 1, _id: 1 } as const;
    return isLast(failed, succeeded) ? [{ filter, sort }] : [];
  });
  const firsts = await reads.firstOfEach({ name: attempts, index }, ranges);
  return new Map(firsts.map((first) => [String(first['webhookId']), dateOf(first['created'])]));
}

/** The condition is a range of the index, and a comparison of ids within the first millisecond of the range. */
function recordedAfter({ recorded, id }: LastOutcome): Document {
  return {
    recorded: { $gte: recorded },
    $or: [{ recorded: { $gt: recorded } }, { _id: { $gt: id } }],
  };
}
