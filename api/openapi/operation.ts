import type { z } from 'zod';

import { noBody, takesIdempotencyKey, type Route } from '../http/route.js';
import type { SchemaCollection } from './componentSchemas.js';
import { curlOf } from './curl.js';
import type { Content, JsonSchema, Operation, Parameter } from './openApiTypes.js';
import { responsesOf } from './responses.js';
import { apiKeyScheme, sessionScheme } from './securitySchemes.js';

/** A route as an operation of the OpenAPI document. */
export function operationOf(route: Route, schemas: SchemaCollection): Operation {
  const { operationId, tag, summary, description, access, body, examples } = route;
  const operation: Operation = {
    operationId,
    tags: [tag],
    summary,
    description,
    security: access === 'anyone' ? [] : securityOf(route),
    parameters: [
      ...pathParameters(route),
      ...queryParameters(route.query, schemas),
      ...(takesIdempotencyKey(route) ? [idempotencyKey] : []),
    ],
    ...(body === noBody
      ? {}
      : {
          requestBody: {
            required: route.bodyIsOptional !== true,
            content: {
              'application/json': { schema: schemas.input(body), example: examples?.body },
              ...otherBodiesOf(route, schemas),
            },
          },
        }),
    responses: responsesOf(route, schemas),
  };
  return { ...operation, description: withPermissionAndExample(route, operation) };
}

function otherBodiesOf({ otherBodies = {} }: Route, schemas: SchemaCollection): Content {
  return Object.fromEntries(
    Object.entries(otherBodies).map(([mediaType, { schema, example }]) => [
      mediaType,
      { schema: schemas.input(schema), example },
    ]),
  );
}

/**
 * The description of an operation, with the required permission and a curl command. Most OpenAPI tools show permissions
 * and commands only as a part of the description.
 */
function withPermissionAndExample(route: Route, operation: Operation): string {
  const { method, path } = route;
  const example = curlOf(method, pathTemplate(path), operation);
  return [operation.description, permissionOf(route, operation), `\`\`\`sh\n${example}\n\`\`\``].join('\n\n');
}

function permissionOf({ audience }: Route, { security: [requirement] }: Operation): string {
  if (audience === 'tenants') {
    return 'This operation requires a portal token, or an API key of a tenant.';
  }
  if (requirement === undefined) {
    return 'This operation requires no API key.';
  }
  if (!(apiKeyScheme in requirement)) {
    return 'This operation requires a session of the dashboard.';
  }
  const [scope] = Object.values(requirement).flat();
  return scope === undefined
    ? 'This operation requires a full API key.'
    : `This operation requires a full API key, or an API key with the scope \`${scope}\`.`;
}

function securityOf({ scope, audience }: Route): Operation['security'] {
  if (audience === 'tenants') {
    return [{ [apiKeyScheme]: [] }];
  }
  const session = { [sessionScheme]: [] };
  return audience === undefined || audience === 'readers'
    ? [{ [apiKeyScheme]: scope === null ? [] : [scope] }, session]
    : [session];
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
    description: known?.description ?? 'The id of the resource.',
    schema: { type: 'string', ...(known === undefined ? {} : { enum: [...known.values] }) },
  }));
}

function queryParameters(query: z.ZodType, schemas: SchemaCollection): readonly Parameter[] {
  const { properties = {}, required = [] } = schemas.input(query);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = objectOf(property);
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
    };
  });
}

/** JSON Schema permits `true` and `false` instead of a schema. Zod writes neither `true` nor `false` for a property. */
function objectOf(schema: JsonSchema | boolean): JsonSchema {
  return typeof schema === 'boolean' ? {} : schema;
}
