import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import { memberText } from '../api/jsonText.js';
import type { EventType, EventTypeDryRun } from '../api/types.js';

/** An event type with the unchanged texts of its schema and examples, so that numbers keep their digits. */
export interface LoadedType {
  readonly eventType: EventType;
  /** The JSON text of the schema; empty without a schema. */
  readonly schemaText: string;
  /** The JSON text of the list of examples. */
  readonly examplesText: string;
}

/** The fields of an event type as the page edits them. */
export interface TypeFields {
  readonly description: string;
  readonly schemaText: string;
  readonly examplesText: string;
  readonly validation: EventType['validation'];
  readonly deprecated: boolean;
}

export async function readType(api: Api, name: string, signal: AbortSignal): Promise<LoadedType> {
  const text = await answerOf(
    api.GET('/v1/event-types/{name}', { params: { path: { name } }, parseAs: 'text', signal }),
  );
  const schemaText = memberText(text, 'schema') ?? 'null';
  return {
    eventType: JSON.parse(text) as EventType,
    schemaText: schemaText === 'null' ? '' : schemaText,
    examplesText: memberText(text, 'examples') ?? '[]',
  };
}

export function fieldsOf({ eventType, schemaText, examplesText }: LoadedType): TypeFields {
  const { description, validation, deprecated } = eventType;
  return { description: description ?? '', schemaText, examplesText, validation, deprecated };
}

/** A body that satisfies the types of the client. The serializer sends the text of the fields instead. */
const typedBody = {
  description: null,
  schema: null,
  validation: 'off' as const,
  deprecated: false,
  examples: [],
};

/** Creates or replaces an event type. */
export async function putType(api: Api, name: string, fields: TypeFields): Promise<void> {
  await answerOf(
    api.PUT('/v1/event-types/{name}', {
      params: { path: { name } },
      body: { ...typedBody },
      bodySerializer: () => bodyText(fields),
      parseAs: 'text',
    }),
  );
}

/** Checks stored events with the schema, and changes nothing. */
export async function dryRunType(api: Api, name: string, fields: TypeFields): Promise<EventTypeDryRun> {
  const result = await answerOf(
    api.PUT('/v1/event-types/{name}', {
      params: { path: { name }, query: { dryRun: true } },
      body: { ...typedBody },
      bodySerializer: () => bodyText(fields),
    }),
  );
  // The schema of the response has the fields of both results, and none of them is required.
  const { checked, invalid, samples, complete } = 'checked' in result ? result : {};
  if (checked !== undefined && invalid !== undefined && samples !== undefined && complete !== undefined) {
    return { checked, invalid, samples, complete };
  }
  throw new Error('the response to a dry run is an event type');
}

/** The body of a PUT. The texts of schema and examples are copied, because parsing would lose digits of numbers. */
function bodyText({ description, schemaText, examplesText, validation, deprecated }: TypeFields): string {
  const fields = JSON.stringify({
    description: description.trim() === '' ? null : description.trim(),
    validation,
    deprecated,
  });
  const schema = schemaText.trim() === '' ? 'null' : schemaText;
  const examples = examplesText.trim() === '' ? '[]' : examplesText;
  return `${fields.slice(0, -1)},"schema":${schema},"examples":${examples}}`;
}

/** The error of a text that is no JSON; null for valid JSON and for an empty text. */
export function faultOfJson(text: string): string | null {
  if (text.trim() === '') {
    return null;
  }
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return `The text is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
