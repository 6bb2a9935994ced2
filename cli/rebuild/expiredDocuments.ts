import { mayHaveExpired } from '../../shared/domain/events/expiry.js';
import { isFinal } from '../../shared/domain/deliveries/delivery.js';
import type { AttemptDocument, EventDocument, ModelDocument } from '../../shared/store/models/documents.js';
import type { DocumentPair } from '../../shared/store/generations/generationReader.js';
import type { ModelName } from '../../shared/store/models/readModels.js';

/** Whether the log still contains a document that was removed from the live model (left) for its age. */
export type HasExpired = (pair: DocumentPair) => boolean;

/**
 * An event with an open delivery in the log has not expired, however old it is. If it is missing, it was lost.
 * @param expiryMs the age at which events are removed; null for never
 */
export function createHasExpired(model: ModelName, expiryMs: number | null, now: Date): HasExpired {
  const isOld = (eventId: string) => mayHaveExpired(eventId, expiryMs, now);
  switch (model) {
    case 'events':
      return ({ id, left, right }) =>
        isOld(id) && isEvent(right) && !isRead(left) && right.deliveries.every(isFinal);
    case 'attempts':
      return ({ left, right }) => left === null && isAttempt(right) && isOld(right.eventId);
    default:
      return () => false;
  }
}

function isEvent(document: ModelDocument | null): document is EventDocument {
  return document !== null && 'deliveries' in document;
}

function isAttempt(document: ModelDocument | null): document is AttemptDocument {
  return document !== null && 'eventId' in document;
}

/** A late outcome of a removed event creates a document without the event, until the next sweep. */
function isRead(document: ModelDocument | null): boolean {
  return document !== null && 'source' in document;
}
