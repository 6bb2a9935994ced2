import { createHash } from 'node:crypto';

import type { Actor, Change } from '../core/fact.js';
import type { AuditChanges, AuditValue } from '../core/recordedAction.js';
import {
  bytesOf,
  maximumBytesPerMode,
  maximumTypesPerMode,
  type EventTypeFact,
  type EventTypeSettings,
  type EventTypeState,
} from './eventType.js';

/** The event types of an account in one mode, without the event type of the command. */
export interface OtherEventTypes {
  readonly count: number;
  readonly bytes: number;
}

export type EventTypeDecision =
  /** A PUT of an equal event type has no fact. */
  | { readonly outcome: 'accepted'; readonly facts: readonly EventTypeFact[] }
  | { readonly outcome: 'too many' | 'too large' };

/** The fact of a PUT, which replaces all fields of an event type or creates it. */
export function decideEventType(
  before: EventTypeState,
  settings: EventTypeSettings,
  { others, actor }: { readonly others: OtherEventTypes; readonly actor: Actor },
): EventTypeDecision {
  const changes = before?.status === 'active' ? changesOf(before, settings) : null;
  if (changes !== null && Object.keys(changes).length === 0) {
    return { outcome: 'accepted', facts: [] };
  }
  const exceeded = exceededLimit(settings, others, changes === null);
  if (exceeded !== null) {
    return { outcome: exceeded };
  }
  const fact: EventTypeFact =
    changes === null
      ? { type: 'postrider.event-type.created', value: { ...settings, actor } }
      : { type: 'postrider.event-type.updated', value: { ...settings, changes, actor } };
  return { outcome: 'accepted', facts: [fact] };
}

function exceededLimit(
  settings: EventTypeSettings,
  { count, bytes }: OtherEventTypes,
  isNew: boolean,
): 'too many' | 'too large' | null {
  if (isNew && count >= maximumTypesPerMode) {
    return 'too many';
  }
  return bytes + bytesOf(settings) > maximumBytesPerMode ? 'too large' : null;
}

/**
 * The fields of an event type in the audit log. Schema and examples may contain the data of customers and are large, so
 * the audit log identifies them by a digest.
 */
export function auditFieldsOf(settings: EventTypeSettings): Readonly<Record<string, AuditValue>> {
  const { description, schema, examples, validation, deprecated } = settings;
  return {
    description,
    schema: schema === null ? null : digestOf(schema),
    examples: examples === noExamples ? null : digestOf(examples),
    validation,
    deprecated: String(deprecated),
  };
}

/** The JSON text of the examples of an event type without examples. */
export const noExamples = '[]';

function changesOf(before: EventTypeSettings, after: EventTypeSettings): AuditChanges {
  const [earlier, later] = [auditFieldsOf(before), auditFieldsOf(after)];
  const changes = Object.entries(later).map(([name, to]): readonly [string, Change<AuditValue>] => [
    name,
    { from: earlier[name] ?? null, to },
  ]);
  return Object.fromEntries(changes.filter(([, { from, to }]) => from !== to));
}

function digestOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  return `${String(Buffer.byteLength(text))} bytes, SHA-256 ${hash}`;
}
