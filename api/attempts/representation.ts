import { fromBinary } from '../../shared/mongo/bytes.js';
import type { AttemptDocument } from '../../shared/mongo/documents.js';
import { responseText } from './responseText.js';

/** An attempt as an answer shows it. */
export function attemptRepresentation(attempt: AttemptDocument) {
  const { error } = attempt;
  return {
    id: attempt._id,
    eventId: attempt.eventId,
    webhookId: attempt.webhookId,
    number: attempt.number,
    trigger: attempt.trigger,
    status: attempt.status,
    statusCode: attempt.statusCode,
    error: error === null ? null : { code: error.code, message: error.message },
    durationMs: attempt.durationMs,
    responseBody: responseText(fromBinary(attempt.responseBody)),
    attemptedAt: attempt.created.toISOString(),
  };
}
