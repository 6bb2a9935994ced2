import {
  isReference,
  type OpenApiDocument,
  type Operation as DescribedOperation,
  type Response,
} from '../../api/openapi/openApiTypes.js';
import { methodNameOf } from './methodNames.js';
import type { Api, Body, Field, NamedType, Operation, Resource, Result, TypeReference } from './model.js';
import { splitDryRun, splitDryRunSchemas } from './dryRuns.js';
import { definitionOf, descriptionOf, typeOf, typesIn } from './readTypes.js';

const json = 'application/json';
const eventStream = 'text/event-stream';

/** The bodies of requests to webhooks, by format. */
const deliveredTypes = ['DeliveredEvent', 'DeliveredThinEvent', 'DeliveredCloudEvent'];

/** The types of the items of streams, which OpenAPI 3.1 cannot describe. */
const streamedItems: Readonly<Record<string, TypeReference>> = {
  streamEvents: { kind: 'named', name: 'Event' },
};

/**
 * Reads the operations that take an API key, and their types. Clients send JSON, so other media types of bodies are
 * left out: CloudEvents have SDKs of their own.
 * @throws Error if the document has a part that client libraries cannot express
 */
export function readModel(described: OpenApiDocument): Api {
  const document = withDryRuns(described);
  const resources = new Map<string, Operation[]>();
  const types = createTypes(document);
  const errorCodes = new Set<string>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (takesApiKey(operation)) {
        const { resource } = methodNameOf(operation.operationId, path);
        const operations = splitDryRun(operationOf(document, path, method, operation));
        resources.set(resource, [...(resources.get(resource) ?? []), ...operations]);
        operations.forEach(types.addOperation);
        errorCodesOf(document, operation).forEach((code) => errorCodes.add(code));
      }
    }
  }
  deliveredTypes.forEach((name) => types.addOutput({ kind: 'named', name }));
  return {
    resources: [...resources].map(([name, operations]): Resource => ({ name, operations })),
    types: types.collected(),
    errorCodes: [...errorCodes].sort(),
  };
}

function withDryRuns(document: OpenApiDocument): OpenApiDocument {
  const { components } = document;
  return { ...document, components: { ...components, schemas: splitDryRunSchemas(components.schemas) } };
}

function takesApiKey({ security }: DescribedOperation): boolean {
  return security.some((requirement) => 'apiKey' in requirement);
}

function operationOf(
  document: OpenApiDocument,
  path: string,
  method: string,
  described: DescribedOperation,
): Operation {
  const { operationId: id, summary, parameters } = described;
  return {
    id,
    name: methodNameOf(id, path).method,
    httpMethod: method.toUpperCase() as Operation['httpMethod'],
    path,
    pathParameters: parametersIn(described, 'path'),
    queryParameters: parametersIn(described, 'query').map(queryParameterOf),
    body: bodyOf(described),
    takesIdempotencyKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
    flag: null,
    result: resultOf(document, described),
    summary,
    description: descriptionOfMethod(described),
  };
}

/** The description of an operation, without what only readers of the API reference need: commands, other media types. */
function descriptionOfMethod({ description, requestBody }: DescribedOperation): string {
  const others = Object.keys(requestBody?.content ?? {}).filter((mediaType) => mediaType !== json);
  const isForReaders = (paragraph: string) =>
    paragraph.startsWith('```') || others.some((mediaType) => paragraph.includes(mediaType));
  return description
    .split('\n\n')
    .filter((paragraph) => !isForReaders(paragraph))
    .join('\n\n');
}

/** The parameter whose text `null` selects what has no tenant. A library takes the null of its language. */
const tenantFilter = 'tenantId';

function queryParameterOf(parameter: Field): Field {
  const { name, type } = parameter;
  return name === tenantFilter ? { ...parameter, type: { kind: 'nullable', type } } : parameter;
}

function parametersIn(
  { operationId, parameters }: DescribedOperation,
  place: 'path' | 'query',
): readonly Field[] {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, schema, required, description }) => ({
      name,
      type: typeOf(schema, `${operationId}.${name}`),
      isRequired: required,
      description: descriptionOf({ ...schema, ...(description !== undefined && { description }) }),
    }));
}

function bodyOf({ operationId, requestBody }: DescribedOperation): Body | null {
  if (requestBody === undefined) {
    return null;
  }
  const { [json]: content } = requestBody.content;
  if (content === undefined) {
    throw new Error(`${operationId} takes no JSON body`);
  }
  return { type: typeOf(content.schema, `${operationId} body`), isRequired: requestBody.required };
}

function resultOf(document: OpenApiDocument, { operationId, responses }: DescribedOperation): Result {
  const contents = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => (isReference(response) ? [] : [response.content ?? {}]));
  const item = streamedItems[operationId];
  if (item !== undefined && contents.every((content) => eventStream in content)) {
    return { kind: 'stream', item };
  }
  const [type, ...others] = contents.map((content) =>
    typeOf(content[json]?.schema ?? {}, `${operationId} response`),
  );
  if (type?.kind !== 'named' || others.some((other) => JSON.stringify(other) !== JSON.stringify(type))) {
    throw new Error(`give the successful responses of ${operationId} one schema with a name`);
  }
  return pageOf(document, type) ?? { kind: 'single', type };
}

function pageOf({ components }: OpenApiDocument, type: { readonly kind: 'named'; readonly name: string }) {
  const definition = definitionOf(components.schemas, type.name);
  if (definition.kind !== 'object' || !definition.fields.some(({ name }) => name === 'hasMore')) {
    return null;
  }
  const data = definition.fields.find(({ name }) => name === 'data')?.type;
  if (data?.kind !== 'array' || data.items.kind !== 'named') {
    throw new Error(`the field data of ${type.name} is no list of a schema with a name`);
  }
  const item = definitionOf(components.schemas, data.items.name);
  const hasId = item.kind === 'object' && item.fields.some(({ name }) => name === 'id');
  return { kind: 'page', type, item: data.items, cursor: hasId ? 'id' : 'name' } as const;
}

function errorCodesOf({ components }: OpenApiDocument, { responses }: DescribedOperation): readonly string[] {
  return Object.values(responses).flatMap((given) => {
    const response: Response | undefined = isReference(given)
      ? components.responses[given.$ref.split('/').at(-1) ?? '']
      : given;
    return response?.['x-error-codes'] ?? [];
  });
}

/** Collects the named types that operations refer to, directly or through other types. */
function createTypes({ components: { schemas } }: OpenApiDocument) {
  const inputs = new Set<string>();
  const outputs = new Set<string>();
  const add = (type: TypeReference, names: Set<string>): void => {
    for (const name of typesIn(type)) {
      if (!names.has(name)) {
        names.add(name);
        const definition = definitionOf(schemas, name);
        const parts =
          definition.kind === 'object'
            ? [
                ...definition.fields.map((field) => field.type),
                ...(definition.others === null ? [] : [definition.others]),
              ]
            : [definition];
        parts.forEach((part) => add(part, names));
      }
    }
  };
  return {
    addOperation: ({ pathParameters, queryParameters, body, result }: Operation) => {
      [...pathParameters, ...queryParameters].forEach(({ type }) => add(type, inputs));
      if (body !== null) {
        add(body.type, inputs);
      }
      if (result.kind !== 'stream') {
        add(result.type, outputs);
      }
    },
    addOutput: (type: TypeReference) => add(type, outputs),
    collected: (): readonly NamedType[] =>
      [...new Set([...inputs, ...outputs])].sort().map((name) => ({
        name,
        description: schemas[name]?.description ?? '',
        isInput: inputs.has(name),
        isOutput: outputs.has(name),
        definition: definitionOf(schemas, name),
      })),
  };
}
