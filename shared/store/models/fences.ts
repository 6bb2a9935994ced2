import type { Document } from 'mongodb';

import type { TopicName } from '../../log/topics/names.js';
import type { ModelDocument } from './documents.js';

/** The highest fencing number of a scope of commands in a partition, from an offset on. */
export interface FencePosition {
  readonly offset: number;
  readonly number: number;
}

/**
 * The fences of one scope of commands in one partition of a topic. Every read model of the topic stores fences with its
 * documents. Offset and fencing number increase from entry to entry.
 */
export interface FenceDocument extends ModelDocument {
  readonly fences: readonly FencePosition[];
}

const prefix = 'fence/';

/** @param scope the name of the scope of commands, which begins with the account's id */
export function fenceIdOf(scope: string, topic: TopicName, partition: number): string {
  return `${prefix}${scope}/${topic}/${partition}`;
}

export function isFence({ _id }: Document): boolean {
  return typeof _id === 'string' && _id.startsWith(prefix);
}

/**
 * The filter for all fences of an account. In ASCII, `0` follows `/`, so the range contains all ids that begin with the
 * account's id and a slash.
 */
export function fencesOf(accountId: string) {
  return { _id: { $gte: `${prefix}${accountId}/`, $lt: `${prefix}${accountId}0` } };
}
