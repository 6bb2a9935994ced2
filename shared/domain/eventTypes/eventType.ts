import type { Actor, Mode, RecordContext } from '../core/fact.js';
import type { AuditChanges } from '../core/recordedAction.js';

/** The maximum size of a schema, in bytes (platform contract, section 6). */
export const maximumSchemaBytes = 64 * 1024;
export const maximumExamples = 10;
/** The maximum size of the list of examples, in bytes. */
export const maximumExamplesBytes = 64 * 1024;
export const maximumDescriptionLength = 1000;
export const maximumTypesPerMode = 1000;
/** The maximum size of the schemas and examples of an account in one mode, in bytes. */
export const maximumBytesPerMode = 4 * 1024 * 1024;

/** What the API does with a posted event that does not match the schema of its type. */
export const validationModes = ['off', 'warn', 'reject'] as const;

export type ValidationMode = (typeof validationModes)[number];

/** The fields of an event type that a client sets. Each PUT replaces all of them. */
export interface EventTypeSettings {
  readonly description: string | null;
  /** The JSON text of the schema, byte for byte as the client sent it; null without a schema. */
  readonly schema: string | null;
  /** The JSON text of the list of examples, byte for byte as the client sent it. */
  readonly examples: string;
  readonly validation: ValidationMode;
  readonly deprecated: boolean;
}

export type EventTypeFact =
  | {
      readonly type: 'postrider.event-type.created';
      readonly value: EventTypeSettings & { readonly actor: Actor };
    }
  | {
      readonly type: 'postrider.event-type.updated';
      readonly value: EventTypeSettings & {
        /** The changed fields for the audit log, with the digests of large fields. */
        readonly changes: AuditChanges;
        readonly actor: Actor;
      };
    }
  | { readonly type: 'postrider.event-type.deleted'; readonly value: { readonly actor: Actor } };

/** The identity of an event type. A name has at most one event type in each mode of an account. */
interface EventTypeIdentity {
  readonly accountId: string;
  readonly mode: Mode;
  /** The type of the events, such as `order.completed`. */
  readonly name: string;
  /** When the event type was created, or created again after its deletion. */
  readonly created: Date;
  /**
   * The `ce_id` of the record that last changed `schema` or `validation`. A compiled schema belongs to one revision, so
   * another change does not interrupt the checks of posted events.
   */
  readonly revision: string;
}

export interface EventType extends EventTypeIdentity, EventTypeSettings {
  readonly status: 'active';
  readonly updated: Date;
}

/** What remains of a deleted event type, so that its name stays a valid cursor of the list. */
export interface DeletedEventType extends EventTypeIdentity {
  readonly status: 'deleted';
}

export type EventTypeState = EventType | DeletedEventType | null;

/** The record key of an event type. A name contains no slash. */
export function eventTypeKey(accountId: string, name: string): string {
  return `${accountId}/${name}`;
}

/** The name of an event type, from the key of its record. */
export function eventTypeNameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}

/**
 * An event type after another fact. Each record of a change contains all fields, so the last record decides.
 * ```
 *           created              updated
 *  (none) ───────────► active ◄──────────┐
 *                      │    └────────────┘
 *             deleted  ▼  ▲ created
 *                      deleted
 * ```
 */
export function evolveEventType(
  state: EventTypeState,
  fact: EventTypeFact & { readonly context: RecordContext },
): EventTypeState {
  const { context } = fact;
  switch (fact.type) {
    case 'postrider.event-type.created':
      return activeEventType(fact.value, context, state?.status === 'active' ? state : null);
    case 'postrider.event-type.updated':
      return state?.status === 'active' ? activeEventType(fact.value, context, state) : state;
    case 'postrider.event-type.deleted':
      return state?.status === 'active' ? deletedEventType(state, context) : state;
    default: {
      const never: never = fact;
      return never;
    }
  }
}

function activeEventType(
  value: EventTypeSettings,
  context: RecordContext,
  before: EventType | null,
): EventType {
  const { description, schema, examples, validation, deprecated } = value;
  const isCheckedAsBefore = before?.schema === schema && before.validation === validation;
  return {
    accountId: context.accountId,
    mode: context.mode ?? 'live',
    name: eventTypeNameOf(context.key),
    status: 'active',
    description,
    schema,
    examples,
    validation,
    deprecated,
    created: before?.created ?? context.at,
    updated: context.at,
    revision: isCheckedAsBefore ? before.revision : context.id,
  };
}

function deletedEventType(
  { accountId, mode, name, created }: EventType,
  { id: revision }: RecordContext,
): DeletedEventType {
  return { accountId, mode, name, status: 'deleted', created, revision };
}

/** The size of an event type that counts against the limit of its account, in bytes. */
export function bytesOf({ schema, examples }: Pick<EventTypeSettings, 'schema' | 'examples'>): number {
  return Buffer.byteLength(schema ?? '') + Buffer.byteLength(examples);
}
