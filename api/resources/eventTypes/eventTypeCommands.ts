import type { CommandRunner } from '../../../shared/commands/commandRunner.js';
import type { RecordContext } from '../../../shared/domain/core/fact.js';
import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import {
  eventTypeKey,
  evolveEventType,
  maximumBytesPerMode,
  maximumTypesPerMode,
  type EventType,
  type EventTypeFact,
  type EventTypeSettings,
  type EventTypeState,
} from '../../../shared/domain/eventTypes/eventType.js';
import { decideEventType } from '../../../shared/domain/eventTypes/eventTypeDecisions.js';
import { eventTypeRecords } from '../../../shared/log/records/eventTypes.js';
import { eventTypesTopic as topic } from '../../../shared/log/topics/names.js';
import { apiError, missingResource, type ApiError } from '../../http/apiError.js';
import type { Caller } from '../../http/context.js';
import type { EventTypeLookup } from './eventTypeLookup.js';

export interface PutEventType {
  readonly eventType: EventType;
  readonly isCreated: boolean;
  /** Whether the API checks posted events in another way than before. */
  readonly changesChecks: boolean;
}

export interface RemovedEventType {
  /** Whether the API has checked posted events of the type. */
  readonly changesChecks: boolean;
}

/**
 * Commands on event types. Commands of one account run one at a time. The changes of a command are readable when the
 * command returns.
 */
export interface EventTypeCommands {
  put: (
    caller: Caller,
    name: string,
    settings: EventTypeSettings,
    identity: RequestIdentity,
  ) => Promise<PutEventType | ApiError>;
  remove: (caller: Caller, name: string, identity: RequestIdentity) => Promise<RemovedEventType | ApiError>;
}

export interface EventTypeCommandDependencies {
  readonly runner: CommandRunner;
  readonly lookup: EventTypeLookup;
}

export function createEventTypeCommands({ runner, lookup }: EventTypeCommandDependencies): EventTypeCommands {
  return {
    // The command waits for the whole topic, because the limits depend on the account's other event types.
    put: (caller, name, settings, identity) =>
      runner.run<PutEventType | ApiError>({
        accountId: caller.accountId,
        topic,
        decide: async () => {
          const before = await lookup.find(caller, name);
          const others = await lookup.othersThan(caller, name);
          const decision = decideEventType(before, settings, { others, actor: caller.actor });
          if (decision.outcome !== 'accepted') {
            return { records: [], result: limitErrors[decision.outcome] };
          }
          const changes = decision.facts.map((fact) => inContext(fact, { caller, name, identity }));
          const eventType = activeAfter(changes.reduce<EventTypeState>(evolveEventType, before));
          const result = {
            eventType,
            isCreated: changes.some(({ type }) => type === 'postrider.event-type.created'),
            changesChecks: isCheckedOtherwise(before, eventType),
          };
          return { records: changes.map((fact) => eventTypeRecords.encode(fact, fact.context)), result };
        },
      }),

    remove: (caller, name, identity) =>
      runner.run<RemovedEventType | ApiError>({
        accountId: caller.accountId,
        topic,
        key: eventTypeKey(caller.accountId, name),
        decide: async () => {
          const before = await lookup.find(caller, name);
          if (before?.status !== 'active') {
            return { records: [], result: missingResource('event type', name) };
          }
          const fact = inContext(
            { type: 'postrider.event-type.deleted', value: { actor: caller.actor } },
            { caller, name, identity },
          );
          const record = eventTypeRecords.encode(fact, fact.context);
          return { records: [record], result: { changesChecks: before.validation !== 'off' } };
        },
      }),
  };
}

interface ChangeContext {
  readonly caller: Caller;
  readonly name: string;
  readonly identity: RequestIdentity;
}

function inContext(
  fact: EventTypeFact,
  { caller: { accountId, mode }, name, identity }: ChangeContext,
): EventTypeFact & { readonly context: RecordContext } {
  const key = eventTypeKey(accountId, name);
  const id = identity.recordId(fact.type);
  return { ...fact, context: { id, key, accountId, mode, at: identity.created } };
}

function activeAfter(state: EventTypeState): EventType {
  if (state?.status !== 'active') {
    throw new Error('the fold of a change has removed the event type');
  }
  return state;
}

/** Whether posted events are checked by another schema, or with another effect, than before. */
function isCheckedOtherwise(before: EventTypeState, after: EventType): boolean {
  const earlier = before?.status === 'active' ? before : { validation: 'off' as const, schema: null };
  return earlier.validation === after.validation
    ? after.validation !== 'off' && earlier.schema !== after.schema
    : true;
}

const limitErrors = {
  'too many': apiError(
    'event_type_limit_reached',
    `An account has at most ${String(maximumTypesPerMode)} event types in each mode. Delete an event type first.`,
  ),
  'too large': apiError(
    'event_type_limit_reached',
    `The schemas and examples of an account have at most ${String(maximumBytesPerMode / 1024 / 1024)} MiB in each mode. ` +
      'Shorten a schema, or delete an event type first.',
  ),
} as const;
