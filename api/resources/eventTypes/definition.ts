import { withTimeout } from '../../../shared/concurrency/withTimeout.js';
import { splitJsonList } from '../../../shared/domain/events/jsonParts.js';
import {
  maximumExamplesBytes,
  maximumSchemaBytes,
  type EventTypeSettings,
} from '../../../shared/domain/eventTypes/eventType.js';
import { noExamples } from '../../../shared/domain/eventTypes/eventTypeDecisions.js';
import type { KeyedSchema } from '../../eventTypes/worker/schemaThread.js';
import type { SchemaWorkers } from '../../eventTypes/worker/schemaWorkers.js';
import { apiError, type ApiError } from '../../http/apiError.js';

/** The fields of a PUT request, with the unchanged bytes of its schema and its examples. */
export interface RequestedEventType extends Omit<EventTypeSettings, 'schema' | 'examples'> {
  readonly schema: Buffer | null;
  /** The JSON text of the list of examples, or null without examples. */
  readonly examples: Buffer | null;
}

export interface EventTypeDefinition {
  readonly settings: EventTypeSettings;
  /** The schema for checks. Without a schema, all events match. */
  readonly schema: KeyedSchema & { readonly schema: Buffer };
}

/** Checks the schema and the examples of a request. A worker does the work, so no schema can stall the API process. */
export type ReadDefinition = (
  accountId: string,
  requested: RequestedEventType,
  key: string,
) => Promise<EventTypeDefinition | ApiError>;

/** How long a PUT waits for the compilation of its schema, in milliseconds (docs/adr/0025-event-types.md). */
const compilationTimeoutMs = 3000;

type CheckResult = Awaited<ReturnType<SchemaWorkers['checkSome']>>[number];

/** The schema that every event matches. */
const anything = Buffer.from('true');

export function createReadDefinition(workers: Pick<SchemaWorkers, 'validate' | 'checkSome'>): ReadDefinition {
  const exampleError = async (
    accountId: string,
    schema: EventTypeDefinition['schema'],
    examples: readonly Buffer[],
  ): Promise<ApiError | null> => {
    for (let next = 0; next < examples.length;) {
      const results = await workers.checkSome(accountId, schema, examples.slice(next));
      const error = results
        .map((result, index) => errorOfExample(result, next + index))
        .find((one) => one !== null);
      if (error !== undefined) {
        return error;
      }
      next += results.length;
    }
    return null;
  };

  return async (accountId, requested, key) => {
    const { schema: posted, examples, ...fields } = requested;
    const sizeError = errorOfSizes(requested);
    if (sizeError !== null) {
      return sizeError;
    }
    const schema = { key, schema: posted ?? anything };
    const validating = workers.validate(accountId, schema);
    const verdict = await withTimeout(validating, compilationTimeoutMs, 'the schema is not compiled yet');
    if (verdict.outcome === 'rejected') {
      return apiError('schema_invalid', verdict.message, { param: verdict.place });
    }
    const error = await exampleError(accountId, schema, examples === null ? [] : elementsOf(examples));
    return error ?? { settings: { ...fields, ...textsOf(requested) }, schema };
  };
}

function errorOfExample(result: CheckResult, index: number): ApiError | null {
  const place = `examples[${String(index)}]`;
  switch (result.status) {
    case 'valid':
      return null;
    case 'exhausted':
      return apiError('parameter_invalid', `${place} is too complex for the schema.`, { param: place });
    case 'invalid':
      return apiError('parameter_invalid', `${place} does not match the schema: ${result.message}`, {
        param: result.place.replace(/^data/, place),
      });
  }
}

function textsOf({ schema, examples }: RequestedEventType): Pick<EventTypeSettings, 'schema' | 'examples'> {
  return { schema: schema?.toString() ?? null, examples: examples?.toString() ?? noExamples };
}

function errorOfSizes({ schema, examples, validation }: RequestedEventType): ApiError | null {
  if (schema === null && validation !== 'off') {
    return apiError('parameter_invalid', 'validation must be off without a schema. Add a schema.', {
      param: 'validation',
    });
  }
  if (schema !== null && schema.length > maximumSchemaBytes) {
    return apiError(
      'schema_invalid',
      `schema has ${String(schema.length)} bytes, and must have at most ${String(maximumSchemaBytes)}.`,
      { param: 'schema' },
    );
  }
  return examples !== null && examples.length > maximumExamplesBytes
    ? apiError(
        'parameter_invalid',
        `examples has ${String(examples.length)} bytes, and must have at most ${String(maximumExamplesBytes)}.`,
        { param: 'examples' },
      )
    : null;
}

/** The JSON texts of the elements of a list. */
function elementsOf(list: Buffer): readonly Buffer[] {
  return [...splitJsonList(list)].flatMap((part) =>
    part.kind === 'element' ? [list.subarray(part.value.start, part.value.end)] : [],
  );
}
