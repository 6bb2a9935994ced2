import {
  isEventType,
  maximumBodyBytes,
  maximumDataDepth,
  maximumValidationParamLength,
  validationStatuses,
  type AcceptedEvent,
  type EventValidation,
  type PostedAttributes,
} from '../../domain/events/event.js';
import { identifierTime, isIdentifier } from '../../domain/core/identifiers.js';
import { readJsonObject } from '../../domain/events/jsonText.js';
import { isTenantId } from '../../domain/tenants/tenantId.js';
import {
  decodeHeaders,
  encodeHeaders,
  firstError,
  headerText,
  type CloudEventHeaders,
} from '../encoding/cloudEvent.js';
import type { Decoded, OutgoingRecord, RawRecord } from '../encoding/record.js';

const oneDayMs = 24 * 60 * 60 * 1000;

/**
 * The record of an accepted event. The record's value is the event's `data`, byte for byte.
 * @param partition the partition of the record; if it is missing, the producer chooses the partition of the key
 */
export function encodeEvent(event: AcceptedEvent, partition?: number): OutgoingRecord {
  const record = encodeWithoutAttributes(event, partition);
  const { attributes, validation } = event;
  return attributes === undefined && validation === undefined
    ? record
    : {
        ...record,
        headers: {
          ...record.headers,
          ...(attributes && encodePostedAttributes(attributes)),
          ...(validation && encodeValidation(validation)),
        },
      };
}

function encodeWithoutAttributes(event: AcceptedEvent, partition?: number): OutgoingRecord {
  return {
    topic: 'events',
    key: event.id,
    ...(partition !== undefined && { partition }),
    value: event.data,
    headers: encodeHeaders({
      id: event.id,
      key: event.id,
      accountId: event.accountId,
      mode: event.mode,
      at: event.created,
      type: event.type,
      webhookId: event.onlyWebhookId,
      tenantId: event.tenantId,
    }),
  };
}

/** Reads the record of an event, which the API or another producer has appended. */
export function decodeEvent(record: RawRecord): Decoded<AcceptedEvent> {
  const headers = decodeHeaders(record);
  if (!headers.readable) {
    return headers;
  }
  const { id, accountId, mode, type, at, webhookId, tenantId = null } = headers.content;
  const refused = refusedHeaders(headers.content) ?? refusedData(record.value);
  if (refused !== null || mode === null || record.value === null) {
    return { readable: false, reason: refused ?? 'ce_mode is missing' };
  }
  const data = record.value;
  const content = { id, accountId, mode, type, created: at, data, onlyWebhookId: webhookId, tenantId };
  return { readable: true, content: withOptional(content, record) };
}

/** An event with the attributes and the validation in the headers of its record. */
function withOptional(event: AcceptedEvent, record: RawRecord): AcceptedEvent {
  const attributes = decodePostedAttributes(record);
  const validation = decodeValidation(record);
  return attributes === null && validation === null
    ? event
    : { ...event, ...(attributes && { attributes }), ...(validation && { validation }) };
}

function refusedHeaders({ id, key, accountId, type, at, tenantId = null }: CloudEventHeaders): string | null {
  const isEventId = isIdentifier('evt', id);
  return firstError([
    [!isEventId, 'ce_id is not evt_ and a ULID'],
    [id !== key, 'the key is not ce_id'],
    [!isIdentifier('acct', accountId), 'ce_source names no account id'],
    [!isEventType(type), 'ce_type is not an event type'],
    [tenantId !== null && !isTenantId(tenantId), 'ce_tenantid is not a tenant id, or is reserved'],
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

/**
 * The prefix of the headers with the attributes of an event that was posted as a CloudEvent. `ce_id`, `ce_source` and
 * `ce_time` are attributes of the record, so the posted attributes have their own names: `ce_postedid`,
 * `ce_postedsource`. The name of an extension also begins with the prefix, so that no extension replaces a header of
 * the record.
 */
const prefix = 'ce_posted';
const idHeader = `${prefix}id`;
const headerName = new RegExp(`^${prefix}([a-z0-9]+)$`);

function encodePostedAttributes(attributes: PostedAttributes): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`${prefix}${name}`, value]));
}

/** The posted attributes of a record, or null if its event was not posted as a CloudEvent. */
function decodePostedAttributes(record: RawRecord): PostedAttributes | null {
  // Most events are no CloudEvents, so their other headers are not read.
  if (record.headers[idHeader] === undefined) {
    return null;
  }
  return Object.fromEntries(
    Object.keys(record.headers).flatMap((header) => {
      const name = headerName.exec(header)?.[1];
      return name === undefined ? [] : [[name, headerText(record, header)] as const];
    }),
  );
}

/** The headers of the result of an event's check with the schema of its type. */
const validationHeader = 'ce_validation';
const validationParamHeader = 'ce_validationparam';
const validationCodeHeader = 'ce_validationcode';

/** The form of a code, which is the name of a keyword of JSON Schema or a word of this project. */
const validationCode = /^[A-Za-z][A-Za-z_]{0,39}$/;

function encodeValidation({ status, param, code }: EventValidation): Record<string, string> {
  return {
    [validationHeader]: status,
    ...(param === null ? {} : { [validationParamHeader]: param }),
    ...(code === null ? {} : { [validationCodeHeader]: code }),
  };
}

/** The validation of a record, or null. The producer of the record is trusted, and malformed values count as absent. */
function decodeValidation(record: RawRecord): EventValidation | null {
  if (record.headers[validationHeader] === undefined) {
    return null;
  }
  const text = headerText(record, validationHeader);
  const status = validationStatuses.find((one) => one === text);
  if (status === undefined) {
    return null;
  }
  if (status === 'valid') {
    return { status, param: null, code: null };
  }
  const code = headerText(record, validationCodeHeader);
  const param = headerText(record, validationParamHeader);
  return validationCode.test(code) && param.length <= maximumValidationParamLength
    ? { status, param: param === '' ? null : param, code }
    : null;
}
