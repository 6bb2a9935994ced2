import type { z } from 'zod';

import { noBody, takesIdempotencyKey, type Route } from '../http/route.js';
import type { Components } from './components.js';
import type { Operation, Parameter, RequestBody } from './openApiTypes.js';
import { responsesOf } from './responses.js';
import { permissionOf } from './security.js';

/** A route as an operation of the OpenAPI document. */
export function operationOf(route: Route, components: Components): Operation {
  const { operationId, tag, summary, description } = route;
  const { security, text, curlOptions } = permissionOf(route);
  // Most OpenAPI tools show permissions and commands only as a part of the description.
  const example = `\`\`\`sh\n${curlOf(route, curlOptions)}\n\`\`\``;
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, text, example].join('\n\n'),
    security,
    parameters: [
      ...pathParameters(route),
      ...queryParameters(route.query, components),
      ...(takesIdempotencyKey(route) ? [idempotencyKey] : []),
    ],
    ...(route.body !== noBody && { requestBody: requestBodyOf(route, components) }),
    responses: responsesOf(route, components),
  };
}

const parameterInPath = /:(\w+)/g;

/** A path in the notation of OpenAPI: `/v1/events/{id}` for `/v1/events/:id`. */
export function pathTemplate(path: string): string {
  return path.replaceAll(parameterInPath, '{$1}');
}

function pathParameters({ path, pathParameter: known }: Route): readonly Parameter[] {
  return [...path.matchAll(parameterInPath)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: known?.description ?? `The ${name} of the resource.`,
    schema: { type: 'string', ...(known !== undefined && { enum: [...known.values] }) },
  }));
}

function queryParameters(query: z.ZodType, components: Components): readonly Parameter[] {
  const { properties = {}, required = [] } = components.input(query);
  return Object.entries(properties).map(([name, property]) => {
    // JSON Schema permits `true` and `false` instead of a schema. Zod writes neither for a property.
    const { description, ...schema } = typeof property === 'boolean' ? {} : property;
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema,
    };
  });
}

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'If a request is repeated with the same idempotency key and body, the request takes ' +
    'effect once. For 24 hours, the repeated request gets the response of the first request.',
  // An idempotency key is a bare value or a quoted string (RFC 9651 section 3.3.3). White space around a header value
  // is not part of the value.
  schema: {
    type: 'string',
    pattern: String.raw`^(?:[!#-~](?:[ -~]{0,253}[!-~])?|"(?:[ !#-\[\]-~]|\\["\\]){1,255}")$`,
  },
};

function requestBodyOf(
  { body, bodyIsOptional, examples, otherBodies = {} }: Route,
  components: Components,
): RequestBody {
  const bodies = { 'application/json': { schema: body, example: examples?.body }, ...otherBodies };
  return {
    required: bodyIsOptional !== true,
    content: Object.fromEntries(
      Object.entries(bodies).map(([mediaType, { schema, example }]) => [
        mediaType,
        { schema: components.input(schema), example },
      ]),
    ),
  };
}

/**
 * An operation as a curl command. The address, the credentials and the id are shell variables, because only the reader
 * knows their values.
 */
function curlOf({ method, path, pathParameter, examples }: Route, options: readonly string[]): string {
  const [knownValue] = pathParameter?.values ?? [];
  const filledPath = path.replaceAll(
    parameterInPath,
    (_, name: string) => knownValue ?? `$${name.toUpperCase()}`,
  );
  const body = examples?.body;
  const impliesMethod = method === 'GET' || (method === 'POST' && body !== undefined);
  return [
    `curl ${impliesMethod ? '' : `-X ${method} `}"$POSTRIDER_URL${filledPath}"`,
    ...options,
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
