import type { EventType } from '../../../shared/domain/eventTypes/eventType.js';
import type { Page } from '../../http/paging.js';
import type { EventCount } from './usage.js';

export interface ListedEventType {
  readonly eventType: EventType;
  readonly usage: EventCount | null;
}

/**
 * The JSON of an event type. The text of `schema` and `examples` is copied without parsing, so numbers keep their digits
 * and names their order.
 */
export function eventTypeJson(eventType: EventType): string {
  return withMembers(summaryOf(eventType), textsOf(eventType));
}

/** The JSON of a list of event types. A summary has neither `schema` nor `examples`. */
export function eventTypeListJson({ items, hasMore }: Page<ListedEventType>, isSummary: boolean): string {
  const data = items.map(({ eventType, usage }) => {
    const fields = { ...summaryOf(eventType), ...(usage === null ? {} : { usage }) };
    return withMembers(fields, isSummary ? {} : textsOf(eventType));
  });
  return `{"data":[${data.join(',')}],"hasMore":${String(hasMore)}}`;
}

function summaryOf({ name, description, validation, deprecated, created, updated }: EventType) {
  return {
    name,
    description,
    validation,
    deprecated,
    created: created.toISOString(),
    updated: updated.toISOString(),
  };
}

function textsOf({ schema, examples }: EventType): Readonly<Record<string, string>> {
  return { schema: schema ?? 'null', examples };
}

/** The JSON of an object, with further members whose JSON texts are given. */
function withMembers(fields: object, members: Readonly<Record<string, string>>): string {
  const texts = Object.entries(members).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return [JSON.stringify(fields).slice(0, -1), ...texts].join(',').concat('}');
}
