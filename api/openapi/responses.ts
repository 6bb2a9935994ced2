import { STATUS_CODES } from 'node:http';

import { z } from 'zod';

import { errorCodes, type ErrorCode } from '../http/errorCodes.js';
import type { Route } from '../http/route.js';
import type { Components } from './components.js';
import { errorHeaders, successHeaders } from './headers.js';
import type { Content, Response, Responses } from './openApiTypes.js';
import { operationErrors } from './operationErrors.js';

export function responsesOf(route: Route, components: Components): Responses {
  const { successStatus, otherSuccess, isCacheable, failureStatus } = route;
  const headers = successHeaders(route);
  const answer = (status: number): Responses => ({
    [status]: { description: STATUS_CODES[status] ?? '', headers, content: contentOf(route, components) },
  });
  return {
    ...answer(successStatus),
    ...(otherSuccess !== undefined && {
      [otherSuccess.status]: {
        description: STATUS_CODES[otherSuccess.status] ?? '',
        headers: successHeaders(route, []),
        content: {
          'application/json': {
            schema: components.output(otherSuccess.response),
            example: otherSuccess.example,
          },
        },
      },
    }),
    ...(isCacheable === true && {
      304: components.response(304, {
        description: 'The content has not changed since the response with this entity tag.',
        headers,
      }),
    }),
    ...errorResponses(route, components),
    ...(failureStatus !== undefined && answer(failureStatus)),
  };
}

function contentOf({ response, examples, mediaType = 'text/plain' }: Route, components: Components): Content {
  return response === null
    ? { [mediaType]: { schema: { type: 'string' } } }
    : { 'application/json': { schema: components.output(response), example: examples?.response } };
}

function errorResponses(route: Route, components: Components): Responses {
  return Object.fromEntries(
    [...operationErrors(route)].map(([status, codes]) => [
      status,
      components.response(status, errorResponse(route.access, status, codes, components)),
    ]),
  );
}

function errorResponse(
  access: Route['access'],
  status: number,
  codes: readonly ErrorCode[],
  components: Components,
): Response {
  const [code] = codes;
  return {
    description: codes
      .map((each) => `[\`${each}\`](/docs/errors/${each}): ${errorCodes[each].meaning}`)
      .join('\n\n'),
    headers: errorHeaders(access, status),
    'x-error-codes': codes,
    content: {
      'application/json': { schema: components.output(errorSchema), example: code && exampleOf(code) },
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
  return {
    error: { type, code, message: meaning, param: null, requestId: 'req_01M7YDPVFCXGPKVZ39MTD48GR5' },
  };
}
