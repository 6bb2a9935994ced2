import {
  eventTypeKey,
  type EventTypeFact,
  type EventTypeSettings,
} from '../../shared/domain/eventTypes/eventType.js';
import { contextOf, testActor, testIdentifier, type InContext } from './facts.js';

export const testTypeName = 'order.completed';
/** The record key of the event type of all these facts. */
const testTypeKey = eventTypeKey(testIdentifier('acct'), testTypeName);

export const testSchema = '{"type": "object", "maximum": 12345678901234567890}';

export function eventTypeSettings(settings: Partial<EventTypeSettings> = {}): EventTypeSettings {
  return {
    description: 'A paid order',
    schema: testSchema,
    examples: '[{"amount": 1.50}]',
    validation: 'warn',
    deprecated: false,
    ...settings,
  };
}

function inContext(fact: EventTypeFact): InContext<EventTypeFact> {
  return { ...fact, context: contextOf(testTypeKey) };
}

export function eventTypeCreated(settings: Partial<EventTypeSettings> = {}): InContext<EventTypeFact> {
  const value = { ...eventTypeSettings(settings), actor: testActor };
  return inContext({ type: 'postrider.event-type.created', value });
}

export function eventTypeUpdated(settings: Partial<EventTypeSettings> = {}): InContext<EventTypeFact> {
  const value = { ...eventTypeSettings(settings), changes: {}, actor: testActor };
  return inContext({ type: 'postrider.event-type.updated', value });
}

export function eventTypeDeleted(): InContext<EventTypeFact> {
  return inContext({ type: 'postrider.event-type.deleted', value: { actor: testActor } });
}
