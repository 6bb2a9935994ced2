import { mayHaveExpired } from '../../shared/domain/events/expiry.js';
import { isFinal } from '../../shared/domain/deliveries/delivery.js';
import type { AttemptDocument, EventDocument, ModelDocument } from '../../shared/store/models/documents.js';
import type { DocumentPair } from '../../shared/store/generations/generationReader.js';
import type { ModelName } from '../../shared/store/models/readModels.js';

/** Whether the log still has what was removed from the live model (left) because it was old enough. */
export type HasExpired = (pair: DocumentPair) => boolean;

/**
 * An event of which a delivery is open in the log has not expired, however old it is: where it is missing, it was lost.
 * @param expiryMs how old an event is when it is removed; null for never
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

/** A late outcome of an event that is gone makes a document without the event, until the next sweep. */
function isRead(document: ModelDocument | null): boolean {
  return document !== null && 'source' in document;
}
