import {
  isEventType,
  maximumBodyBytes,
  maximumDataDepth,
  type AcceptedEvent,
} from '../../domain/events/event.js';
import { identifierTime, isIdentifier } from '../../domain/core/identifiers.js';
import { readJsonObject } from '../../domain/events/jsonText.js';
import { decodeHeaders, encodeHeaders, firstError, type CloudEventHeaders } from '../encoding/cloudEvent.js';
import type { Decoded, OutgoingRecord, RawRecord } from '../encoding/record.js';

const oneDayMs = 24 * 60 * 60 * 1000;

/** The record of an accepted event. The record's value is the event's `data`, byte for byte. */
export function encodeEvent(event: AcceptedEvent): OutgoingRecord {
  return {
    topic: 'events',
    key: event.id,
    value: event.data,
    headers: encodeHeaders({
      id: event.id,
      key: event.id,
      accountId: event.accountId,
      mode: event.mode,
      at: event.created,
      type: event.type,
      webhookId: event.onlyWebhookId,
    }),
  };
}

/** Reads the record of an event, which the API or another producer has appended. */
export function decodeEvent(record: RawRecord): Decoded<AcceptedEvent> {
  const headers = decodeHeaders(record);
  if (!headers.readable) {
    return headers;
  }
  const { id, accountId, mode, type, at, webhookId } = headers.content;
  const refused = refusedHeaders(headers.content) ?? refusedData(record.value);
  if (refused !== null || mode === null || record.value === null) {
    return { readable: false, reason: refused ?? 'ce_mode is missing' };
  }
  return {
    readable: true,
    content: { id, accountId, mode, type, created: at, data: record.value, onlyWebhookId: webhookId },
  };
}

function refusedHeaders({ id, key, accountId, type, at }: CloudEventHeaders): string | null {
  const isEventId = isIdentifier('evt', id);
  return firstError([
    [!isEventId, 'ce_id is not evt_ and a ULID'],
    [id !== key, 'the key is not ce_id'],
    [!isIdentifier('acct', accountId), 'ce_source names no account id'],
    [!isEventType(type), 'ce_type is not an event type'],
    // The time in `ce_id` is checked only if `ce_id` is a valid event id.
    [isEventId && !isWithinADay(at, identifierTime(id)), 'ce_time is not within a day of the time in ce_id'],
  ]);
}

function isWithinADay(one: Date, other: Date): boolean {
  return Math.abs(one.getTime() - other.getTime()) <= oneDayMs;
}

function refusedData(data: Buffer | null): string | null {
  if (data === null || data.length > maximumBodyBytes) {
    return `the value is missing or larger than ${maximumBodyBytes} bytes`;
  }
  const reading = readJsonObject(data, maximumDataDepth);
  return reading.valid ? null : `the value: ${reading.message}`;
}
