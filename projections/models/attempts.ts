import type { RecordContext } from '../../shared/domain/core/fact.js';
import type {
  DeliveryAttempted,
  DeliveryFact,
  EventMatched,
} from '../../shared/domain/deliveries/deliveryFacts.js';
import type { EventOfTenant } from '../../shared/domain/tenants/tenant.js';
import { everyTenant } from '../../shared/domain/tenants/tenantId.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { toBinary } from '../../shared/store/client/binary.js';
import {
  versionKeyOf,
  type AttemptDocument,
  type StoredHeaders,
} from '../../shared/store/models/documents.js';
import { readWith, type InContext, type Projection } from './projection.js';

/** A document for each attempt. The document follows from one record, and no other record changes it. */
export const attemptsProjection: Projection<AttemptDocument> = {
  name: 'attempts',
  erasesTenants: true,
  insertsOnly: true,
  accountDocumentsFilter: (accountId) => ({ accountId }),
  conversions: {
    1: (earlier) => [{ ...unknownRequest, ...earlier, recorded: endOf(earlier) }],
    // Documents of version 2 have no tenancy. Version 2 would fold the attempts of tenants without their tenancy.
    2: (earlier) => [earlier],
    // Documents of version 3 have neither `responseTruncated` nor `requests`: no record had these fields.
    3: (earlier) => [{ ...earlier, versionKey: keyOf(earlier) }],
  },
  read: readWith(deliveryRecords.decode, (fact, record) => {
    const attempt = attemptOf(fact, record);
    return attempt === null ? [] : [{ id: attempt._id, apply: (document) => document ?? attempt }];
  }),
};

/** The fields that version 1 did not have. */
const unknownRequest = { url: null, requestHeaders: null, responseHeaders: null, eventType: null };

/** A record without a version counts for version 0: the webhook as it was created. */
function keyOf({ webhookId: id, webhookVersion: version = 0 }: Versioned): string {
  return versionKeyOf({ id, version });
}

type Versioned = Pick<DeliveryAttempted, 'webhookId' | 'webhookVersion'>;

/** The end of an attempt of version 1, after which its record was appended at once. */
function endOf({ created, durationMs }: AttemptDocument): Date {
  return new Date(created.getTime() + durationMs);
}

function storedHeaders(headers: Readonly<Record<string, string>> | undefined): StoredHeaders | null {
  return headers === undefined ? null : Object.entries(headers);
}

/** The tenancy of the webhook. For a webhook of every tenant also the tenant and the position of the event. */
function tenantFieldsIn(
  { tenancy = null, tenantId = null, eventOffset = null }: RecordContext,
  home: number,
): Pick<AttemptDocument, 'tenancy' | keyof EventOfTenant> {
  if (tenancy === null) {
    return {};
  }
  return tenancy === everyTenant && tenantId !== null && eventOffset !== null
    ? { tenancy, ofTenant: tenantId, home, homeOffset: eventOffset }
    : { tenancy };
}

/** The document of an attempt, or null for a fact that is not an attempt. */
function attemptOf(
  fact: (DeliveryFact | EventMatched) & InContext,
  { partition, timestamp }: RawRecord,
): AttemptDocument | null {
  if (fact.type !== 'postrider.delivery.attempted') {
    return null;
  }
  const { value, context } = fact;
  return {
    _id: value.attemptId,
    accountId: context.accountId,
    mode: context.mode ?? 'live',
    eventId: context.key,
    webhookId: value.webhookId,
    versionKey: keyOf(value),
    cycle: value.cycle,
    number: value.number,
    trigger: value.trigger,
    status: value.outcome,
    statusCode: value.statusCode,
    error: value.error,
    durationMs: value.durationMs,
    responseBody: toBinary(Buffer.from(value.responseBody, 'base64')),
    ...(value.responseTruncated !== undefined && { responseTruncated: value.responseTruncated }),
    ...(value.requests !== undefined && { requests: value.requests }),
    url: value.url ?? null,
    requestHeaders: storedHeaders(value.requestHeaders),
    responseHeaders: value.statusCode === null ? null : storedHeaders(value.responseHeaders),
    eventType: value.eventType ?? null,
    created: value.attemptedAt,
    recorded: new Date(timestamp),
    positions: {},
    ...tenantFieldsIn(context, partition),
  };
}
