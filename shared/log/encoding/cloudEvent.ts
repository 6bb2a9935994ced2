import { z } from 'zod';

import type { Mode, RecordContext } from '../../domain/core/fact.js';
import type { Decoded, RawRecord } from './record.js';

/**
 * The headers of a record in the binary content mode of CloudEvents 1.0 for Kafka. Extension attributes are `mode`,
 * `partitionkey`, `fence` (records of commands), `resume` (see below), `webhookid` (events of test deliveries), and
 * those of tenants (see below).
 */
export interface CloudEventHeaders extends RecordContext {
  readonly type: string;
  readonly webhookId: string | null;
}

/** CloudEvents extension `fence`: the number of the lease under which the command was decided. */
export const fenceHeader = 'ce_fence';

/**
 * CloudEvents extension `resume`: the delivery process that owns the record's partition has work after this record. A
 * reader of all outcomes selects these records without decoding the others.
 */
export const resumeHeader = 'ce_resume';

/** CloudEvents extension `tenantid`: the tenant of the event, or of the webhook that the record concerns. */
const tenantIdHeader = 'ce_tenantid';

/** CloudEvents extension `tenancy`: the life of a tenant that the webhook belongs to, or `*`. */
const tenancyHeader = 'ce_tenancy';

/** CloudEvents extension `eventoffset`: the offset of the event of a tenant, in the partition with the record's number. */
const eventOffsetHeader = 'ce_eventoffset';

/** The fields of a record's context that only records about a tenant have. */
export type TenantContext = Pick<RecordContext, 'tenantId' | 'tenancy' | 'eventOffset'>;

const contentType = 'application/json';
const sourcePrefix = '/accounts/';
/**
 * A time in the form of RFC 3339 with a UTC offset. Without a UTC offset, each process would apply its own time zone.
 */
const timestamp = z.regexes.datetime({ offset: true });

/** Headers that a record must not repeat, because two consumers could read different values. */
const readHeaders = [
  ...['ce_specversion', 'ce_id', 'ce_source', 'ce_type', 'ce_time', 'ce_mode', 'ce_webhookid'],
  ...[fenceHeader, resumeHeader, tenantIdHeader, tenancyHeader, eventOffsetHeader, 'content-type'],
];

export function encodeHeaders(headers: CloudEventHeaders): Record<string, string> {
  return {
    ce_specversion: '1.0',
    ce_id: headers.id,
    ce_source: `${sourcePrefix}${headers.accountId}`,
    ce_type: headers.type,
    ce_time: headers.at.toISOString(),
    'content-type': contentType,
    ce_partitionkey: headers.key,
    ...(headers.mode === null ? {} : { ce_mode: headers.mode }),
    ...(headers.webhookId === null ? {} : { ce_webhookid: headers.webhookId }),
    ...encodeTenant(headers),
  };
}

function encodeTenant({ tenantId, tenancy, eventOffset }: TenantContext): Record<string, string> {
  return {
    ...(typeof tenantId === 'string' && { [tenantIdHeader]: tenantId }),
    ...(typeof tenancy === 'string' && { [tenancyHeader]: tenancy }),
    ...(typeof eventOffset === 'number' && { [eventOffsetHeader]: String(eventOffset) }),
  };
}

/** Reads and validates the headers of a record. The reason for a rejection names the invalid header. */
export function decodeHeaders(record: RawRecord): Decoded<CloudEventHeaders> {
  const text = (name: string) => headerText(record, name);
  const [id, source, type, time] = [text('ce_id'), text('ce_source'), text('ce_type'), text('ce_time')];
  const mode = text('ce_mode');
  const repeated = readHeaders.find((name) => Array.isArray(record.headers[name]));
  const refused = firstError([
    [repeated !== undefined, `the header ${repeated ?? ''} is repeated`],
    [record.key === null, 'the record has no key'],
    [text('ce_specversion') !== '1.0', 'the header ce_specversion is not 1.0'],
    [id === '', 'ce_id is missing'],
    [type === '', 'ce_type is missing'],
    [!source.startsWith(`${sourcePrefix}acct_`), 'ce_source is not /accounts/acct_…'],
    [!timestamp.test(time), 'ce_time is not a time (RFC 3339)'],
    [!isJson(text('content-type')), 'the header content-type is not application/json'],
    [mode !== '' && !isMode(mode), 'ce_mode is neither live nor test'],
    [!isOffset(text(eventOffsetHeader)), 'ce_eventoffset is not an offset'],
  ]);
  if (refused !== null) {
    return { readable: false, reason: refused };
  }
  const content = {
    id,
    key: record.key?.toString() ?? '',
    accountId: source.slice(sourcePrefix.length),
    mode: isMode(mode) ? mode : null,
    at: new Date(time),
    type,
    webhookId: text('ce_webhookid') || null,
    ...tenantContextOf(record),
  };
  return { readable: true, content };
}

const noTenant: TenantContext = {};

/** The fields of a record's context that only records about a tenant have. A missing header has no field. */
export function tenantContextOf(record: Pick<RawRecord, 'headers'>): TenantContext {
  const { headers } = record;
  // Most records have neither header.
  if (headers[tenantIdHeader] === undefined && headers[tenancyHeader] === undefined) {
    return noTenant;
  }
  const text = (name: string) => headerText(record, name);
  const [tenantId, tenancy, eventOffset] = [
    text(tenantIdHeader),
    text(tenancyHeader),
    text(eventOffsetHeader),
  ];
  return {
    ...(headers[tenantIdHeader] !== undefined && { tenantId }),
    ...(tenancy !== '' && { tenancy }),
    ...(eventOffset !== '' && { eventOffset: Number(eventOffset) }),
  };
}

/** The `ce_id` of a record, read without validation; empty if the header is missing. */
export function recordIdOf(record: RawRecord): string {
  return headerText(record, 'ce_id');
}

/** The account id of a record, read without validation; empty if the header is missing. */
export function accountIdOf(record: Pick<RawRecord, 'headers'>): string {
  return headerText(record, 'ce_source').slice(sourcePrefix.length);
}

/** The tenant id of a record, read without validation; empty if the header is missing. */
export function tenantIdOf(record: Pick<RawRecord, 'headers'>): string {
  return headerText(record, tenantIdHeader);
}

/** The text of a record's header; empty if the header is missing or repeated. */
export function headerText({ headers }: Pick<RawRecord, 'headers'>, name: string): string {
  const value = headers[name];
  return Buffer.isBuffer(value) ? value.toString() : typeof value === 'string' ? value : '';
}

type Check = readonly [failed: boolean, reason: string];

/** The reason of the first failed check, or null if every check succeeded. */
export function firstError(checks: readonly Check[]): string | null {
  return checks.find(([failed]) => failed)?.[1] ?? null;
}

/** Whether the text of a header is an offset, or the header is missing. */
function isOffset(text: string): boolean {
  return text === '' || /^(0|[1-9]\d{0,15})$/.test(text);
}

function isMode(text: string): text is Mode {
  return text === 'live' || text === 'test';
}

/** Whether a media type is JSON. Other producers may add parameters to the media type (RFC 9110 section 8.3.1). */
function isJson(mediaType: string): boolean {
  return mediaType === contentType || mediaType.split(';', 1)[0]?.trim().toLowerCase() === contentType;
}
