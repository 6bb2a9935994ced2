import { fromBinary } from '../../../shared/store/client/binary.js';
import type { AttemptDocument } from '../../../shared/store/models/documents.js';

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

const keptBytes = 4096;

/**
 * The text of a response of which the first 4 KiB are kept. Read as UTF-8, whatever the receiver called it: bytes that are
 * none become U+FFFD, and a character that the cut went through is left out.
 */
export function responseText(kept: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // A decoder that expects more bytes holds the beginning of a character back.
  return decoder.decode(kept, { stream: kept.length >= keptBytes });
}
