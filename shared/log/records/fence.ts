import { z } from 'zod';

import { floorNameOf, scopeNameOf, type ScopeTenant } from '../../domain/core/commandScope.js';
import type { RecordContext } from '../../domain/core/fact.js';
import {
  decodeHeaders,
  encodeHeaders,
  fenceHeader,
  headerText,
  type CloudEventHeaders,
} from '../encoding/cloudEvent.js';
import type { Decoded, OutgoingRecord, RawRecord } from '../encoding/record.js';
import { parseValue } from '../encoding/schemas.js';
import { eventTypesTopic, type TopicName } from '../topics/names.js';

/**
 * The type of a fence: a record that makes commands of earlier leases ineffective. After a fence, consumers ignore
 * commands of the account with a lower fencing number.
 */
export const fenceType = 'postrider.account.fenced';

/**
 * The type of a fence of the commands of one tenant, which `ce_tenantid` names. Without `ce_tenantid`, the fence is a part
 * of the floor of the account, which concerns the commands of all its tenants.
 */
export const tenantFenceType = 'postrider.tenant.fenced';

/**
 * The topics whose commands have fencing numbers. In other topics, a late command of an earlier lease holder is
 * harmless.
 */
export const fencedTopics = [
  'webhooks',
  'accounts',
  'replays',
  eventTypesTopic,
  'tenants',
] as const satisfies readonly TopicName[];

export type FencedTopic = (typeof fencedTopics)[number];

export const fenceSchema = z
  .object({ number: z.int().positive() })
  .describe(
    'After a fence, records of the account in the partition have no effect if their number ' +
      'in `ce_fence` is lower. If you use `ce_fence`, skip these records.',
  );

export const tenantFenceSchema = z
  .object({ number: z.int().positive() })
  .describe(
    'After a fence, records of the tenant in `ce_tenantid` in the partition have no effect if their number in ' +
      '`ce_fence` is lower. A fence without `ce_tenantid` concerns all tenants of the account. If you use `ce_fence`, ' +
      'skip these records.',
  );

/** The fencing information of a record: a fence, or a command with the number of its lease. */
export interface Fencing {
  readonly kind: 'fence' | 'command';
  /** The name of the scope of commands that the number belongs to. */
  readonly scope: string;
  /** Only for a command of a tenant: the name of the account's floor, whose fences concern the command too. */
  readonly floor?: string;
  readonly number: number;
}

export interface Fence extends Pick<RecordContext, 'id' | 'accountId' | 'at'> {
  readonly topic: FencedTopic;
  readonly partition: number;
  readonly number: number;
  /** The tenant whose commands are fenced, or `all` for the floor of the account. Null or missing without a tenant. */
  readonly tenant?: ScopeTenant | 'all' | null;
}

/**
 * The form of the number of a tenant's lease. Versions without tenants cannot read this form. They append the record to
 * the dead letters, instead of sending the events of all tenants to the webhook of one tenant.
 */
const tenantPrefix = 'tenant/';
const numberPattern = /^[1-9]\d{0,15}$/;
/** The pattern of `ce_fence` in the topics of tenants and their webhooks. */
export const scopedFencePattern = /^(tenant\/)?[1-9]\d{0,15}$/;

export function isFenced(topic: TopicName): topic is FencedTopic {
  return fencedTopics.some((fenced) => fenced === topic);
}

const ofAccount = { mode: 'live', tenantId: null } as const;

/** The record of a fence for one partition. A record needs a mode in its headers in every topic except `accounts`. */
export function encodeFence({ topic, partition, number, ...fence }: Fence): OutgoingRecord {
  const { accountId, id, at, tenant = null } = fence;
  const { mode, tenantId } = tenant === null || tenant === 'all' ? ofAccount : tenant;
  const headers = {
    id,
    key: accountId,
    accountId,
    at,
    tenantId,
    webhookId: null,
    mode: topic === 'accounts' ? null : mode,
    type: tenant === null ? fenceType : tenantFenceType,
  };
  return {
    topic,
    partition,
    key: accountId,
    value: Buffer.from(JSON.stringify({ number })),
    headers: encodeHeaders(headers),
  };
}

/** Adds the fencing number of the lease to the record of a command, in the scope of its tenant if it has one. */
export function withFence(
  record: OutgoingRecord,
  number: number,
  tenant: ScopeTenant | null = null,
): OutgoingRecord {
  const fence = `${tenant === null ? '' : tenantPrefix}${String(number)}`;
  return isFenced(record.topic)
    ? { ...record, headers: { ...record.headers, [fenceHeader]: fence } }
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
  const type = headerText(record, 'ce_type');
  const isFence = type === fenceType || type === tenantFenceType;
  if (text === '' && !isFence) {
    return { readable: true, content: null };
  }
  const headers = decodeHeaders(record);
  if (!headers.readable) {
    return headers;
  }
  return isFence ? readFence(headers.content, record.value) : readNumber(headers.content, text);
}

function readFence(headers: CloudEventHeaders, bytes: Buffer | null): Decoded<Fencing> {
  const value = parseValue(fenceSchema, bytes);
  if (!value.readable) {
    return value;
  }
  const scope = headers.type === fenceType ? headers.accountId : scopeOf(headers);
  return {
    readable: true,
    content: { kind: 'fence', scope: scope ?? floorNameOf(headers.accountId), number: value.content.number },
  };
}

function readNumber(headers: CloudEventHeaders, text: string): Decoded<Fencing> {
  const isOfTenant = text.startsWith(tenantPrefix);
  const number = isOfTenant ? text.slice(tenantPrefix.length) : text;
  const scope = isOfTenant ? scopeOf(headers) : headers.accountId;
  if (!numberPattern.test(number)) {
    return { readable: false, reason: `${fenceHeader} is not a positive whole number` };
  }
  if (scope === null) {
    return {
      readable: false,
      reason: `${fenceHeader} is the number of a tenant, and the record has no tenant`,
    };
  }
  const command = { kind: 'command', scope, number: Number(number) } as const;
  return {
    readable: true,
    content: isOfTenant ? { ...command, floor: floorNameOf(headers.accountId) } : command,
  };
}

/** The name of the scope of a record's tenant; null if the record names no tenant or no mode. */
function scopeOf({ accountId, mode, tenantId = null }: CloudEventHeaders): string | null {
  return mode === null || tenantId === null ? null : scopeNameOf({ accountId, tenant: { mode, tenantId } });
}
