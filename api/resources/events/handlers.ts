import type { LogAppender } from '../../../shared/log/producer/producer.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import type { Metrics } from '../../../shared/runtime/metrics.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { typesMatching } from '../../../shared/store/queries/eventTypes.js';
import { isApiError, missingResource } from '../../http/apiError.js';
import { rangeOf, readPage } from '../../http/paging.js';
import { eventSelection } from './eventFilter.js';
import type { EventLookup } from './eventLookup.js';
import { expiredEventPosition, type Expiry } from './expiredCursor.js';
import { eventJson, eventListJson, storedEvent } from './representation.js';
import type { Resend } from './resend.js';
import type { EventHandlers } from './routes.js';

export interface EventHandlerDependencies {
  readonly log: LogAppender;
  readonly events: ReadModel<EventDocument>;
  readonly lookup: EventLookup;
  readonly expiry: Expiry;
  readonly resend: Resend;
  readonly metrics: Pick<Metrics, 'eventsAccepted' | 'eventAppendSeconds'>;
}

export function createEventHandlers(dependencies: EventHandlerDependencies): EventHandlers {
  const { log, events, lookup, expiry, resend, metrics } = dependencies;
  metrics.eventsAccepted.inc({ mode: 'live' }, 0);
  metrics.eventsAccepted.inc({ mode: 'test' }, 0);
  return {
    create: async (request) => {
      const startedAt = performance.now();
      const { accountId, mode } = request.caller;
      const { type } = request.body;
      const { created } = request.identity;
      const id = request.identity.id('evt');
      const data = request.bytesOf('data');
      await log.append(encodeEvent({ id, accountId, mode, type, created, data, onlyWebhookId: null }));
      metrics.eventAppendSeconds.observe((performance.now() - startedAt) / 1000);
      metrics.eventsAccepted.inc({ mode });
      const content = eventJson({ id, type, created, data, deliveries: [], mode });
      return { content, headers: { Location: `/v1/events/${id}` } };
    },

    list: async ({ caller, query }) => {
      const positionOf = async (id: string) =>
        (await lookup.find(caller, id)) ?? expiredEventPosition(id, expiry);
      const range = await rangeOf(query, positionOf);
      const type = query.type && (await typesMatching(events, caller, query.type));
      const page = await readPage(events, eventSelection(caller, { ...query, type }), range);
      if (isApiError(page)) {
        return page;
      }
      const items = page.items.map(storedEvent).filter((event) => event !== null);
      return { content: eventListJson({ items, hasMore: page.hasMore }) };
    },

    retrieve: async ({ caller, id }) => {
      const event = await lookup.find(caller, id);
      return event === null ? missingResource('event', id) : { content: eventJson(event) };
    },

    resend: async ({ caller, id, body, identity }) => {
      const event = await resend({ caller, id, webhookId: body.webhookId ?? null, identity });
      return isApiError(event) ? event : { content: eventJson(event) };
    },
  };
}
