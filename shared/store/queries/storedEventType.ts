import type { DeletedEventType, EventType } from '../../domain/eventTypes/eventType.js';
import { fromBinary } from '../client/binary.js';
import type { EventTypeDocument, LiveEventTypeDocument } from '../models/documents.js';

/** The event type that a document of the read model `eventTypes` contains. */
export function storedEventType(document: EventTypeDocument): EventType | DeletedEventType {
  return document.status === 'active' ? liveEventType(document) : deletedEventType(document);
}

function liveEventType(document: LiveEventTypeDocument): EventType {
  const { accountId, mode, name, status, created, revision, updated } = document;
  const { description, validation, deprecated, schema, examples } = document;
  return {
    accountId,
    mode,
    name,
    status,
    created,
    revision,
    updated,
    description,
    validation,
    deprecated,
    schema: schema === null ? null : fromBinary(schema).toString(),
    examples: fromBinary(examples).toString(),
  };
}

function deletedEventType({ accountId, mode, name, created, revision }: DeletedEventType): DeletedEventType {
  return { accountId, mode, name, status: 'deleted', created, revision };
}
