import { STATUS_CODES } from 'node:http';

import { z } from 'zod';

import { errorCodes, type ErrorCode } from '../http/errorCodes.js';
import type { Route } from '../http/route.js';
import type { SchemaCollection } from './componentSchemas.js';
import { errorHeaders, successHeaders } from './headers.js';
import type { Content, Response, Responses } from './openApiTypes.js';
import { operationErrors } from './operationErrors.js';

const exampleRequestId = 'req_01M7YDPVFCXGPKVZ39MTD48GR5';

export function responsesOf(route: Route, schemas: SchemaCollection): Responses {
  return { ...successesOf(route, schemas), ...errorResponses(route, schemas), ...failureOf(route, schemas) };
}

function successesOf(route: Route, schemas: SchemaCollection): Responses {
  const headers = successHeaders(route);
  const success = {
    description: STATUS_CODES[route.successStatus] ?? '',
    headers,
    content: contentOf(route, schemas),
  };
  return {
    [route.successStatus]: success,
    ...otherSuccessOf(route, schemas),
    ...(route.isCacheable === true
      ? {
          304: {
            description: 'The content has not changed since the response with this entity tag.',
            headers,
          },
        }
      : {}),
  };
}

function otherSuccessOf(route: Route, schemas: SchemaCollection): Responses {
  const { otherSuccess, successHeaders: _, ...withoutOwnHeaders } = route;
  return otherSuccess === undefined
    ? {}
    : {
        [otherSuccess.status]: {
          description: STATUS_CODES[otherSuccess.status] ?? '',
          headers: successHeaders(withoutOwnHeaders),
          content: {
            'application/json': {
              schema: schemas.output(otherSuccess.response),
              example: otherSuccess.example,
            },
          },
        },
      };
}

function failureOf(route: Route, schemas: SchemaCollection): Responses {
  const { failureStatus } = route;
  return failureStatus === undefined
    ? {}
    : {
        [failureStatus]: {
          description: STATUS_CODES[failureStatus] ?? '',
          headers: successHeaders(route),
          content: contentOf(route, schemas),
        },
      };
}

function errorResponses(route: Route, schemas: SchemaCollection): Responses {
  return Object.fromEntries(
    [...operationErrors(route)].map(([status, codes]) => [
      String(status),
      errorResponse(route.access, status, codes, schemas),
    ]),
  );
}

function contentOf(
  { response, examples, mediaType = 'text/plain' }: Route,
  schemas: SchemaCollection,
): Content {
  return response === null
    ? { [mediaType]: { schema: { type: 'string' } } }
    : {
        'application/json': {
          schema: schemas.output(response),
          ...(examples === undefined ? {} : { example: examples.response }),
        },
      };
}

function errorResponse(
  access: Route['access'],
  status: number,
  codes: readonly ErrorCode[],
  schemas: SchemaCollection,
): Response {
  const [code] = codes;
  return {
    description: codes
      .map((each) => `[\`${each}\`](/docs/errors/${each}): ${errorCodes[each].meaning}`)
      .join('\n\n'),
    headers: errorHeaders(access, status),
    'x-error-codes': codes,
    content: {
      'application/json': {
        schema: schemas.output(errorSchema),
        ...(code === undefined ? {} : { example: exampleOf(code) }),
      },
    },
  };
}

/** The error envelope of every operation. The codes of a status are an extension of its response, because codes are added. */
const errorSchema = z
  .object({
    error: z
      .object({
        type: z.string(),
        code: z.string(),
        message: z.string().meta({ description: 'The message for developers. Programs should use `code`.' }),
        param: z
          .string()
          .nullable()
          .meta({ description: 'The field or parameter that caused the error, or null.' }),
        requestId: z.string(),
      })
      .meta({ id: 'ErrorDetails' }),
  })
  .meta({ id: 'ErrorResponse', description: 'The body of every response with an error.' });

function exampleOf(code: ErrorCode) {
  const { type, meaning } = errorCodes[code];
  return { error: { type, code, message: meaning, param: null, requestId: exampleRequestId } };
}
