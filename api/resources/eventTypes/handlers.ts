import { setTimeout as pause } from 'node:timers/promises';

import { acknowledgementDelay } from '../../../shared/commands/maximumStaleness.js';
import type { EventType } from '../../../shared/domain/eventTypes/eventType.js';
import { isEventType, maximumTypeLength } from '../../../shared/domain/events/event.js';
import type { EventTypeDocument } from '../../../shared/store/models/documents.js';
import { eventTypeIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { storedEventType } from '../../../shared/store/queries/storedDocuments.js';
import { apiError, isApiError, missingResource, type ApiError } from '../../http/apiError.js';
import type { Caller } from '../../http/context.js';
import { accountFilter } from '../../http/ownership.js';
import { rangeOf, readPage } from '../../http/paging.js';
import { jsonResponse, type HandlerResult } from '../../http/response.js';
import type { EventCatalog } from './catalog/eventCatalog.js';
import type { ReadDefinition, RequestedEventType } from './definition.js';
import type { DryRun } from './dryRun.js';
import type { EventTypeCommands } from './eventTypeCommands.js';
import type { EventTypeLookup } from './eventTypeLookup.js';
import { eventTypeJson, eventTypeListJson, type ListedEventType } from './representation.js';
import type { EventTypeHandlers } from './routes.js';
import type { EventTypeUsages } from './usage.js';

export interface EventTypeHandlerDependencies {
  readonly commands: EventTypeCommands;
  readonly eventTypes: Pick<ReadModel<EventTypeDocument>, 'findListPage'>;
  readonly lookup: EventTypeLookup;
  readonly readDefinition: ReadDefinition;
  readonly dryRun: DryRun;
  readonly usages: EventTypeUsages;
  readonly catalog: EventCatalog;
}

type PutRequest = Parameters<EventTypeHandlers['put']>[0];

/**
 * The response to a change waits until no API process uses the earlier schema. A change that does not concern the checks
 * of posted events is answered at once.
 */
export function createEventTypeHandlers(dependencies: EventTypeHandlerDependencies): EventTypeHandlers {
  const { commands, eventTypes, lookup, usages, catalog } = dependencies;

  const find = async (caller: Caller, name: string): Promise<EventType | ApiError> => {
    const found = await lookup.find(caller, name);
    return found?.status === 'active' ? found : missingResource('event type', name);
  };

  return {
    put: createPut(dependencies),

    list: async ({ caller, query }) => {
      const isSummary = query.fields === 'summary';
      const range = await rangeOf(query, (name) => lookup.positionOf(caller, name));
      const selection = {
        filter: { ...accountFilter(caller), status: 'active' },
        index: eventTypeIndexes.list.key,
      };
      const page = await readPage(eventTypes, selection, range);
      if (isApiError(page)) {
        return page;
      }
      const found = page.items.map(storedEventType).filter((one) => one.status === 'active');
      const items = await Promise.all(
        found.map(async (eventType): Promise<ListedEventType> => ({
          eventType,
          usage: query.include === 'usage' && caller.tenant === null ? await usages.ofWeek(eventType) : null,
        })),
      );
      return { content: eventTypeListJson({ items, hasMore: page.hasMore }, isSummary) };
    },

    retrieve: async ({ caller, id: name }) => {
      const eventType = await find(caller, name);
      return isApiError(eventType) ? eventType : { content: eventTypeJson(eventType) };
    },

    usage: async ({ caller, id: name, query }) => {
      const eventType = await find(caller, name);
      if (isApiError(eventType)) {
        return eventType;
      }
      const { days, lastEventAt } = await usages.ofDays(eventType, query.days);
      const data = days.map(({ start, ...count }) => ({ day: start.toISOString().slice(0, 10), ...count }));
      return jsonResponse({ data, lastEventAt: lastEventAt?.toISOString() ?? null });
    },

    remove: async ({ caller, id: name, identity }) => {
      const removed = isEventType(name)
        ? await commands.remove(caller, name, identity)
        : missingResource('event type', name);
      if (isApiError(removed)) {
        return removed;
      }
      await pauseIf(removed.changesChecks);
      return jsonResponse({ name, deleted: true });
    },

    catalog: ({ caller }) => catalog.read(caller),
  };
}

function createPut({
  commands,
  readDefinition,
  dryRun,
}: EventTypeHandlerDependencies): EventTypeHandlers['put'] {
  return async (request): Promise<HandlerResult> => {
    const { caller, id: name, query, identity } = request;
    const requested = requestedEventType(request);
    if (isApiError(requested)) {
      return requested;
    }
    const { accountId, mode } = caller;
    const key = `put/${identity.recordId()}`;
    const definition = await readDefinition(accountId, requested, key);
    if (isApiError(definition)) {
      return definition;
    }
    if (query.dryRun === 'true') {
      const result = await dryRun({ accountId, mode, name, schema: definition.schema });
      return { ...jsonResponse(result), status: 200 };
    }
    const put = await commands.put(caller, name, definition.settings, identity);
    if (isApiError(put)) {
      return put;
    }
    await pauseIf(put.changesChecks);
    return { content: eventTypeJson(put.eventType), status: put.isCreated ? 201 : 200 };
  };
}

function requestedEventType({ id: name, body, bytesOf }: PutRequest): RequestedEventType | ApiError {
  if (!isEventType(name)) {
    return apiError(
      'event_type_invalid',
      `The name of an event type has 1 to ${String(maximumTypeLength)} characters: words of letters, digits and ` +
        'underscores, joined by dots.',
      { param: 'name' },
    );
  }
  if (body.name !== undefined && body.name !== name) {
    return apiError('parameter_invalid', `name must be ${name}, the name in the path, or be left out.`, {
      param: 'name',
    });
  }
  const { description, validation, deprecated, schema, examples } = body;
  return {
    description,
    validation,
    deprecated,
    schema: schema === null ? null : bytesOf('schema'),
    examples: examples.length === 0 ? null : bytesOf('examples'),
  };
}

async function pauseIf(isNecessary: boolean): Promise<void> {
  if (isNecessary) {
    await pause(acknowledgementDelay.posting);
  }
}
