import type { RecordContext } from '../../shared/domain/core/fact.js';
import type { DeliveryFact, EventMatched } from '../../shared/domain/deliveries/deliveryFacts.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { toBinary } from '../../shared/store/client/binary.js';
import type { AttemptDocument, StoredHeaders } from '../../shared/store/models/documents.js';
import type { Projection } from './projection.js';

/** A document for each attempt. The document follows from one record, and no other record changes it. */
export const attemptsProjection: Projection<AttemptDocument> = {
  name: 'attempts',
  unreadFields: [],
  insertsOnly: true,
  accountDocumentsFilter: ({ webhookIds }) => ({ webhookId: { $in: webhookIds } }),
  conversions: { 1: (earlier) => [{ ...unknownRequest, ...earlier }] },
  read: (record) => {
    const decoded = deliveryRecords.decode(record);
    if (!decoded.readable) {
      return decoded;
    }
    const attempt = attemptOf(decoded.content);
    return {
      readable: true,
      content: attempt === null ? [] : [{ id: attempt._id, apply: (document) => document ?? attempt }],
    };
  },
};

/** The fields that version 1 did not have. */
const unknownRequest = { url: null, requestHeaders: null, responseHeaders: null, eventType: null };

function storedHeaders(headers: Readonly<Record<string, string>> | undefined): StoredHeaders | null {
  return headers === undefined ? null : Object.entries(headers);
}

/** The document of an attempt, or null for a fact that is not an attempt. */
function attemptOf(
  fact: (DeliveryFact | EventMatched) & { readonly context: RecordContext },
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
    cycle: value.cycle,
    number: value.number,
    trigger: value.trigger,
    status: value.outcome,
    statusCode: value.statusCode,
    error: value.error,
    durationMs: value.durationMs,
    responseBody: toBinary(Buffer.from(value.responseBody, 'base64')),
    url: value.url ?? null,
    requestHeaders: storedHeaders(value.requestHeaders),
    responseHeaders: value.statusCode === null ? null : storedHeaders(value.responseHeaders),
    eventType: value.eventType ?? null,
    created: value.attemptedAt,
    positions: {},
  };
}
