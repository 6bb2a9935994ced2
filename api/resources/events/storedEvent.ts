import { fromBinary } from '../../../shared/store/client/binary.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import type { ShownEvent } from './representation.js';

export interface StoredEvent extends ShownEvent {
  readonly accountId: string;
}

/** The event of a document; null while the model knows only its deliveries, which may arrive first. */
export function storedEvent(document: EventDocument): StoredEvent | null {
  const { _id: id, accountId, mode, type, created, data, deliveries } = document;
  return accountId === undefined ||
    mode === undefined ||
    type === undefined ||
    created === undefined ||
    data === undefined
    ? null
    : { id, accountId, mode, type, created, data: fromBinary(data), deliveries };
}
