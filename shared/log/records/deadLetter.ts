import type { TopicName } from '../topics/names.js';
import type { RawRecord, RecordPosition } from '../encoding/record.js';

type Headers = RawRecord['headers'];

/** The reason, consumer group, position and time of a record's rejection. */
interface Refusal {
  readonly reason: string;
  readonly group: string;
  /** The full name of the original topic. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly at: Date;
  /** The read model that cannot fold the record; missing if the record is unreadable. */
  readonly model?: string;
}

/** A dead letter: the rejection of a record by one consumer group, with the unchanged record. */
export interface DeadLetter {
  /** The position of the rejected record. */
  readonly position: RecordPosition;
  readonly reason: string;
  readonly group: string;
  readonly at: Date;
  /**
   * The read model that cannot fold the record; null if the record is unreadable. A dead letter with a read model is
   * never redriven. Other consumer groups have processed the record, and a rebuild of the read model folds the record
   * at its original position.
   */
  readonly model: string | null;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** The original headers of the rejected record, without the headers `dlq_…`. */
  readonly headers: Headers;
  /** The earlier positions of a redriven record, the oldest first; empty for a record that was never redriven. */
  readonly redrivenFrom: readonly string[];
}

/** The meaning of a record in a dead-letter topic. */
export type DeadLetterEntry =
  | { readonly kind: 'letter'; readonly letter: DeadLetter }
  /** A marker: the record at `position` was redriven, so its dead letters are closed. */
  | { readonly kind: 'redriven'; readonly position: RecordPosition }
  /** A record in a dead-letter topic that the service did not write. */
  | { readonly kind: 'foreign' };

/** The header of redriven records and of markers. */
const redrivenHeader = 'dlq_redriven';
const ownHeaders: readonly string[] = [
  'dlq_reason',
  'dlq_group',
  'dlq_topic',
  'dlq_partition',
  'dlq_offset',
  'dlq_time',
  'dlq_model',
];
/**
 * The maximum number of earlier positions in the header of a redriven record. An unreadable record may be redriven any
 * number of times.
 */
const longestTrace = 10;

export function deadLetterHeaders(refusal: Refusal): Record<string, string> {
  return {
    dlq_reason: refusal.reason,
    dlq_group: refusal.group,
    dlq_topic: refusal.topic,
    dlq_partition: String(refusal.partition),
    dlq_offset: String(refusal.offset),
    dlq_time: refusal.at.toISOString(),
    ...(refusal.model === undefined ? {} : { dlq_model: refusal.model }),
  };
}

/** The headers of a redriven record: the original headers, and the earlier positions of the record. */
export function redrivenHeaders({ headers, redrivenFrom, position }: DeadLetter): Headers {
  const trace = [...redrivenFrom, nameOfPosition(position)].slice(-longestTrace);
  return { ...headers, [redrivenHeader]: trace.join(',') };
}

/**
 * The headers of a marker, which closes all earlier dead letters of a record. A marker has no header `dlq_reason`, and
 * every dead letter has one.
 */
export function markerHeaders(
  { position: { partition, offset } }: DeadLetter,
  topic: string,
  at: Date,
): Record<string, string> {
  return {
    [redrivenHeader]: at.toISOString(),
    dlq_topic: topic,
    dlq_partition: String(partition),
    dlq_offset: String(offset),
  };
}

/** Reads a record of a dead-letter topic. `topic` is the topic of the rejected record. */
export function readDeadLetter(
  topic: TopicName,
  { key, value, headers }: Pick<RawRecord, 'key' | 'value' | 'headers'>,
): DeadLetterEntry {
  const text = (name: string) => headers[name]?.toString() ?? '';
  const position = positionIn(topic, text('dlq_partition'), text('dlq_offset'));
  if (position === null) {
    return { kind: 'foreign' };
  }
  if (text('dlq_reason') === '') {
    return text(redrivenHeader) === '' ? { kind: 'foreign' } : { kind: 'redriven', position };
  }
  const at = new Date(text('dlq_time'));
  if (Number.isNaN(at.getTime())) {
    return { kind: 'foreign' };
  }
  return {
    kind: 'letter',
    letter: {
      position,
      key,
      value,
      at,
      reason: text('dlq_reason'),
      group: text('dlq_group'),
      model: text('dlq_model') || null,
      headers: without(headers, [...ownHeaders, redrivenHeader]),
      redrivenFrom: text(redrivenHeader)
        .split(',')
        .filter((trace) => trace !== ''),
    },
  };
}

/** The name of a position in the form that operators enter, such as `events/3/1042`. */
export function nameOfPosition({ topic, partition, offset }: RecordPosition): string {
  return `${topic}/${partition}/${offset}`;
}

function positionIn(topic: TopicName, partition: string, offset: string): RecordPosition | null {
  const isWhole = [partition, offset].every((text) => /^\d{1,15}$/.test(text));
  return isWhole ? { topic, partition: Number(partition), offset: Number(offset) } : null;
}

function without(headers: Headers, names: readonly string[]): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
