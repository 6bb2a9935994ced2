import { z } from 'zod';

import type { RecordContext } from '../../domain/core/fact.js';
import { decodeHeaders, encodeHeaders, fenceHeader, headerText } from '../encoding/cloudEvent.js';
import type { TopicName } from '../topics/names.js';
import type { Decoded, OutgoingRecord, RawRecord } from '../encoding/record.js';
import { parseValue } from '../encoding/parseValue.js';

/**
 * The type of a fence: a record that makes commands of earlier leases ineffective. After a fence, consumers ignore
 * commands of the account with a lower fencing number.
 */
export const fenceType = 'postrider.account.fenced';

/**
 * The topics whose commands have fencing numbers. In other topics, a late command of an earlier lease holder is
 * harmless.
 */
export const fencedTopics = ['webhooks', 'accounts', 'replays'] as const satisfies readonly TopicName[];

export type FencedTopic = (typeof fencedTopics)[number];

export const fenceSchema = z
  .object({ number: z.int().positive() })
  .describe(
    'After a fence, records of the account in the partition have no effect if their number ' +
      'in `ce_fence` is lower. If you use `ce_fence`, skip these records.',
  );

/** The fencing information of a record. */
export type Fencing =
  | { readonly kind: 'fence'; readonly accountId: string; readonly number: number }
  /** A command with the fencing number of the lease under which the command was decided. */
  | { readonly kind: 'command'; readonly accountId: string; readonly number: number };

export interface Fence extends Pick<RecordContext, 'id' | 'accountId' | 'at'> {
  readonly topic: FencedTopic;
  readonly partition: number;
  readonly number: number;
}

const numberPattern = /^[1-9]\d{0,15}$/;

export function isFenced(topic: TopicName): topic is FencedTopic {
  return fencedTopics.some((fenced) => fenced === topic);
}

/** The record of a fence for one partition. A record needs a mode in its headers in every topic except `accounts`. */
export function encodeFence({ topic, partition, accountId, number, id, at }: Fence): OutgoingRecord {
  const mode = topic === 'accounts' ? null : 'live';
  const headers = { id, key: accountId, accountId, mode, at, type: fenceType, webhookId: null } as const;
  return {
    ...{ topic, partition, key: accountId },
    value: Buffer.from(JSON.stringify({ number })),
    headers: encodeHeaders(headers),
  };
}

/** Adds the fencing number of the lease to the record of a command. */
export function withFence(record: OutgoingRecord, number: number): OutgoingRecord {
  return isFenced(record.topic)
    ? { ...record, headers: { ...record.headers, [fenceHeader]: String(number) } }
    : record;
}

/**
 * Reads the fencing number of a record; null for a record without a fencing number. A record without a fencing number
 * was decided without a lease, or written by an earlier version.
 */
export function readFencing(record: RawRecord): Decoded<Fencing | null> {
  if (!isFenced(record.topic)) {
    return { readable: true, content: null };
  }
  const text = headerText(record, fenceHeader);
  const isFence = headerText(record, 'ce_type') === fenceType;
  if (text === '' && !isFence) {
    return { readable: true, content: null };
  }
  const headers = decodeHeaders(record);
  if (!headers.readable) {
    return headers;
  }
  const { accountId } = headers.content;
  if (isFence) {
    const value = parseValue(fenceSchema, record.value);
    return value.readable
      ? { readable: true, content: { kind: 'fence', accountId, number: value.content.number } }
      : value;
  }
  return numberPattern.test(text)
    ? { readable: true, content: { kind: 'command', accountId, number: Number(text) } }
    : { readable: false, reason: `${fenceHeader} is not a positive whole number` };
}
