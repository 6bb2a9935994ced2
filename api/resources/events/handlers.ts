import type { LogAppender } from '../../../shared/log/producer/producer.js';
import type { EventValidation } from '../../../shared/domain/events/event.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import { placementOf } from '../../../shared/log/topics/partition.js';
import type { Metrics } from '../../../shared/runtime/metrics.js';
import { checkPosted, type PostedCheck } from '../../eventTypes/checkPosted.js';
import type { EventChecks } from '../../eventTypes/eventCheck.js';
import { isApiError, missingResource, type ApiError } from '../../http/apiError.js';
import { requestedTenant } from '../../http/ownership.js';
import type { EventLookup } from './eventLookup.js';
import { createEventList, type EventListDependencies } from './listEvents.js';
import { eventJson, eventListJson } from './representation.js';
import type { RecordedEvents } from '../../eventTypes/recordedEvents.js';
import type { Resend } from './resend.js';
import type { EventHandlers } from './routes.js';

export interface EventHandlerDependencies extends EventListDependencies {
  readonly log: LogAppender;
  /** The number of partitions of the topic `events`. */
  readonly partitions: number;
  readonly lookup: EventLookup;
  readonly resend: Resend;
  readonly checks: EventChecks;
  readonly recorded: RecordedEvents;
  readonly metrics: Pick<Metrics, 'eventsAccepted' | 'eventAppendSeconds'>;
}

const unchecked: PostedCheck = { validation: null, error: null };

export function createEventHandlers(dependencies: EventHandlerDependencies): EventHandlers {
  const { log, partitions, lookup, resend, checks, recorded, metrics } = dependencies;
  const listEvents = createEventList(dependencies);
  metrics.eventsAccepted.inc({ mode: 'live' }, 0);
  metrics.eventsAccepted.inc({ mode: 'test' }, 0);

  /**
   * The result of an event's check. A rejected event that an earlier request has recorded under another schema keeps its
   * first result.
   */
  const resultOf = async (
    checked: PostedCheck | null,
    { caller, identity }: Pick<Parameters<EventHandlers['create']>[0], 'caller' | 'identity'>,
    id: string,
  ): Promise<EventValidation | ApiError | null> => {
    const { validation, error } = checked ?? unchecked;
    if (error === null || validation === null || !identity.isRepeat) {
      return error ?? validation;
    }
    const earlier = await recorded(caller.accountId, [id]);
    const first = earlier.get(id);
    return first === undefined ? error : first;
  };

  return {
    create: async (request) => {
      const startedAt = performance.now();
      const { accountId, mode } = request.caller;
      const { type } = request.body;
      const requested = requestedTenant(request.caller, request.body.tenantId);
      if (isApiError(requested)) {
        return requested;
      }
      const { tenantId = null } = requested;
      const { created } = request.identity;
      const id = request.identity.id('evt');
      const data = request.bytesOf('data');
      const parsed = () => request.body.data;
      // Without a checked type, the request has no further turn of the event loop.
      const checking = checkPosted(checks, request.caller, { type, data, parsed, place: '' });
      const validation = checking === null ? null : await resultOf(await checking, request, id);
      if (validation !== null && isApiError(validation)) {
        return validation;
      }
      const event = { id, accountId, mode, type, created, data, onlyWebhookId: null, tenantId };
      const encoded = validation === null ? event : { ...event, validation };
      const record = encodeEvent(encoded, placementOf(event, partitions));
      await log.append(record, { since: request.receivedAt });
      metrics.eventAppendSeconds.observe((performance.now() - startedAt) / 1000);
      metrics.eventsAccepted.inc({ mode });
      const deliveriesComplete = mode === 'test';
      const posted = { id, type, created, tenantId, data, deliveries: [], validation, mode };
      const content = eventJson({ ...posted, deliveriesComplete });
      return { content, headers: { Location: `/v1/events/${id}` } };
    },

    list: async ({ caller, query }) => {
      const page = await listEvents(caller, query);
      return isApiError(page) ? page : { content: eventListJson(page) };
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
