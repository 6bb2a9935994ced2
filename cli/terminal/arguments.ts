import { InvalidArgumentError } from 'commander';

import { milliseconds } from '../../shared/domain/core/duration.js';
import { everyType, isTypePattern } from '../../shared/domain/events/eventPattern.js';
import { topicNames, type TopicName } from '../../shared/log/topics/names.js';
import type { RecordPosition } from '../../shared/log/encoding/record.js';

const time = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Parses a point in time: RFC 3339, a day in UTC, or an age such as `2h`. */
export function readMoment(text: string): Date {
  const agoMs = milliseconds(text);
  const moment = agoMs === null ? new Date(time.test(text) ? text : NaN) : new Date(Date.now() - agoMs);
  if (Number.isNaN(moment.getTime())) {
    throw new InvalidArgumentError(
      'Pass a time such as 2026-11-21T10:00:00Z or 2026-11-21, or an age such as 30m, 24h or 7d.',
    );
  }
  return moment;
}

/** Parses a point in time like `readMoment`, which must not be in the future. */
export function readPastMoment(text: string): Date {
  const moment = readMoment(text);
  if (moment.getTime() > Date.now()) {
    throw new InvalidArgumentError(`${moment.toISOString()} is in the future. Pass a time of the past.`);
  }
  return moment;
}

/** Parses the position of a record, in the form that lists print: `events/3/1042`. */
export function readPosition(text: string): RecordPosition {
  const [, name, partition, offset] = /^([a-z]+)\/(\d{1,6})\/(\d{1,15})$/.exec(text) ?? [];
  const topic = topicNames.find((candidate) => candidate === name);
  if (topic === undefined) {
    throw new InvalidArgumentError(
      `Pass TOPIC/PARTITION/OFFSET, with one of the topics ${topicNames.join(', ')}.`,
    );
  }
  return { topic, partition: Number(partition), offset: Number(offset) };
}

export function readTopic(text: string): TopicName {
  const topic = topicNames.find((candidate) => candidate === text);
  if (topic === undefined) {
    throw new InvalidArgumentError(`Pass one of ${topicNames.join(', ')}.`);
  }
  return topic;
}

export function readCount(text: string): number {
  const count = Number(text);
  if (!/^\d{1,9}$/.test(text) || count === 0) {
    throw new InvalidArgumentError('Pass a whole number of at least 1.');
  }
  return count;
}

/** Parses the URL of a receiver. `localhost:4000/hook` and a port alone are complete enough. */
export function readReceiver(text: string): URL {
  const port = /^\d{1,5}$/.test(text) ? `localhost:${text}` : text;
  const full = port.includes('://') ? port : `http://${port}`;
  const url = URL.canParse(full) ? new URL(full) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('Pass a URL such as http://localhost:4000/hook.');
  }
  return url;
}

/** The description of an option that `addTypes` parses. */
export const typesHelp = 'types or patterns such as order.* (repeatable, or with commas)';

/** Parses event types and patterns, separated by commas, and adds them to those of earlier options. */
export function addTypes(text: string, before: readonly string[] = []): readonly string[] {
  const types = text.split(',').map((type) => type.trim());
  if (!types.every((type) => type === everyType || isTypePattern(type))) {
    throw new InvalidArgumentError('Pass event types, or prefixes of types such as order.*.');
  }
  return [...before, ...types];
}
