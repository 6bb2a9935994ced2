import { mayHaveExpired } from '../../shared/domain/events/expiry.js';
import { isFinal } from '../../shared/domain/deliveries/delivery.js';
import type { AttemptDocument, EventDocument, ModelDocument } from '../../shared/store/models/documents.js';
import type { DocumentPair } from '../../shared/store/generations/generationReader.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';

/** Whether a document that the log still contains was removed from the live model (left) because of its age. */
export type HasExpired = (pair: DocumentPair) => boolean;

/**
 * An event with an open delivery in the log has not expired, however old the event is. If the live model lacks such an
 * event, the event was lost.
 * @param expiryMs the age at which events are removed, or null if events are never removed
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

/**
 * Whether a document contains its event. A late outcome of a removed event creates a document without the event, until
 * the next periodic removal.
 */
function isRead(document: ModelDocument | null): boolean {
  return document !== null && 'source' in document;
}
