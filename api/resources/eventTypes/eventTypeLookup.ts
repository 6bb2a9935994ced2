import type { DeletedEventType, EventType } from '../../../shared/domain/eventTypes/eventType.js';
import type { OtherEventTypes } from '../../../shared/domain/eventTypes/eventTypeDecisions.js';
import { isEventType } from '../../../shared/domain/events/event.js';
import { eventTypeIdOf, type EventTypeDocument } from '../../../shared/store/models/documents.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { storedEventType } from '../../../shared/store/queries/storedDocuments.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import type { Caller } from '../../http/context.js';
import type { ListPosition } from '../../http/paging.js';

type Owner = Pick<Caller, 'accountId' | 'mode'>;

/** Reads of event types. Reading an event type throws UnavailableError while the read model is incomplete. */
export interface EventTypeLookup {
  /** An existing or deleted event type of the caller's account and mode. */
  find: (owner: Owner, name: string) => Promise<EventType | DeletedEventType | null>;
  /** The position of an event type in the caller's list. A deleted event type also has a position. */
  positionOf: (owner: Owner, name: string) => Promise<ListPosition | null>;
  /** The number and the size of the caller's other event types. */
  othersThan: (owner: Owner, name: string) => Promise<OtherEventTypes>;
}

export type EventTypeReads = Pick<ReadModel<EventTypeDocument>, 'findByIds' | 'findAll'>;

export function createEventTypeLookup(eventTypes: EventTypeReads): EventTypeLookup {
  const findDocument = async ({ accountId, mode }: Owner, name: string) => {
    const ids = isEventType(name) ? [eventTypeIdOf(accountId, mode, name)] : [];
    const [document] = completeDocuments(await eventTypes.findByIds(accountId, ids));
    return document ?? null;
  };

  return {
    find: async (owner, name) => {
      const document = await findDocument(owner, name);
      return document === null ? null : storedEventType(document);
    },
    positionOf: async (owner, name) => {
      const document = await findDocument(owner, name);
      return document === null ? null : { id: document._id, created: document.created };
    },
    othersThan: async ({ accountId, mode }, name) => {
      const answer = await eventTypes.findAll(
        { accountId, mode, status: 'active' },
        { share: accountId, without: ['schema', 'examples', 'recordIds'] },
      );
      const others = completeDocuments(answer).filter((document) => document.name !== name);
      return {
        count: others.length,
        bytes: others.reduce((sum, document) => sum + (document.bytes ?? 0), 0),
      };
    },
  };
}
