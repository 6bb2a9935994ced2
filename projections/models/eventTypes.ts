import {
  bytesOf,
  eventTypeNameOf,
  evolveEventType,
  type DeletedEventType,
  type EventType,
} from '../../shared/domain/eventTypes/eventType.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { eventTypeRecords } from '../../shared/log/records/eventTypes.js';
import { toBinary } from '../../shared/store/client/binary.js';
import { eventTypeIdOf, type EventTypeDocument } from '../../shared/store/models/documents.js';
import { fencesOf } from '../../shared/store/models/fences.js';
import { storedEventType } from '../../shared/store/queries/storedDocuments.js';
import { deduplicate } from './deduplicate.js';
import { inMode, readWith, type Projection } from './projection.js';

/**
 * A document for each event type. The document of a deleted event type keeps only what lists and later records need.
 * The fold copies schemas and compiles nothing, so a rebuild needs no worker.
 */
export const eventTypesProjection: Projection<EventTypeDocument> = {
  name: 'eventTypes',
  accountDocumentsFilter: (accountId) => ({ $or: [{ accountId }, fencesOf(accountId)] }),
  read: readWith(inMode(eventTypeRecords.decode), (fact, record) => {
    const { id: recordId, key, accountId, mode } = fact.context;
    const apply = (document: EventTypeDocument | null) =>
      deduplicate(document, recordId, (before) => {
        const earlier = before === null ? null : storedEventType(before);
        const state = evolveEventType(earlier, fact);
        return state === null || state === earlier ? before : documentOf(state, before, record);
      });
    return [{ id: eventTypeIdOf(accountId, mode, eventTypeNameOf(key)), apply }];
  }),
};

function documentOf(
  state: EventType | DeletedEventType,
  before: EventTypeDocument | null,
  { partition, offset }: RawRecord,
): EventTypeDocument {
  const stored = {
    _id: eventTypeIdOf(state.accountId, state.mode, state.name),
    partition,
    offset,
    positions: before?.positions ?? {},
    recordIds: before?.recordIds ?? [],
  };
  if (state.status === 'deleted') {
    return { ...state, ...stored, checked: false };
  }
  const { schema, examples, ...fields } = state;
  return {
    ...fields,
    ...stored,
    checked: state.validation !== 'off',
    schema: schema === null ? null : toBinary(Buffer.from(schema)),
    examples: toBinary(Buffer.from(examples)),
    bytes: bytesOf(state),
  };
}
