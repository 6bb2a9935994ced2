import type { TopicName } from '../topics/names.js';

type HeaderValue = Buffer | string | (Buffer | string)[] | undefined;

/** A record as the Kafka client hands it over. */
export interface RawRecord {
  readonly topic: TopicName;
  readonly partition: number;
  /** Below 2^53 for as long as anyone will run this: a number, not a BigInt. */
  readonly offset: number;
  /** When it was appended, by the producer's clock, in milliseconds since 1970. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, HeaderValue>>;
}

/** A record to be appended. */
export interface OutgoingRecord {
  readonly topic: TopicName;
  readonly key: string;
  /** If it is missing, the partition follows from the key. */
  readonly partition?: number;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** A record of a compacted topic that removes all of its key that stands before it. */
export type Tombstone = Omit<OutgoingRecord, 'value'> & { readonly value: null };

/** Where a record stands in the log. */
export interface RecordPosition {
  readonly topic: TopicName;
  readonly partition: number;
  readonly offset: number;
}

/** What became of reading a record: `reason` says why it belongs among the dead letters. */
export type Decoded<Content> =
  | { readonly readable: true; readonly content: Content }
  | { readonly readable: false; readonly reason: string };

/** Of its key and value, in bytes. */
export function sizeOfRecord({ key, value }: Pick<RawRecord, 'key' | 'value'>): number {
  return (key?.length ?? 0) + (value?.length ?? 0);
}
