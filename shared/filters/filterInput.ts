import type { Steps } from '../concurrency/sharedTurns.js';
import type { AcceptedEvent } from '../domain/events/event.js';
import { parseInSteps, type JsonValue } from '../jsonSchema/json/exactJson.js';
import { comparableNumber } from '../jsonSchema/json/exactNumber.js';
import { hasLongNumbers } from '../jsonSchema/json/longNumbers.js';

/** The fields of an event that filters read. All filters of the event share the parsed data. */
export interface FilterInput {
  /** Returns a field other than `data`. */
  readonly field: (name: string) => JsonValue;
  /** Returns the data, which the first call parses; undefined if they have long numbers, until `parse` has ended. */
  readonly data: () => JsonValue | undefined;
  /** Parses data with long numbers. The built-in parser is faster, but it rounds long numbers. */
  readonly parse: () => Steps<JsonValue>;
}

export type FilteredEvent = Pick<AcceptedEvent, 'id' | 'type' | 'created' | 'tenantId' | 'data'>;

/** Creates the input of filters without any work. */
export function createFilterInput(event: FilteredEvent): FilterInput {
  let parsed: JsonValue | undefined;
  return {
    field: (name) => fieldOf(event, name),
    data: () => {
      parsed ??= hasLongNumbers(event.data) ? undefined : parseShortNumbers(event.data);
      return parsed;
    },
    parse: function* () {
      parsed ??= yield* parseInSteps(event.data.toString('utf8'), comparableNumber);
      return parsed;
    },
  };
}

function fieldOf({ id, type, created, tenantId }: FilteredEvent, name: string): JsonValue {
  switch (name) {
    case 'id':
      return id;
    case 'type':
      return type;
    case 'created':
      return created.toISOString();
    case 'tenantId':
      return tenantId;
    default:
      throw new Error(`a filter reads the unknown field ${name}`);
  }
}

function parseShortNumbers(data: Buffer): JsonValue {
  const value: unknown = JSON.parse(data.toString('utf8'));
  return isJsonValue(value) ? value : null;
}

/** `JSON.parse` returns each JSON value, and never `undefined`. */
function isJsonValue(value: unknown): value is JsonValue {
  return value !== undefined;
}
