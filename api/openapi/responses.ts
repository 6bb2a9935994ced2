import { STATUS_CODES } from 'node:http';

import { z } from 'zod';

import { errorCodes, type ErrorCode } from '../http/errorCodes.js';
import { noBody, takesIdempotencyKey, type Route } from '../http/route.js';
import type { Components } from './components.js';
import { errorHeaders, successHeaders } from './headers.js';
import type { Content, Reference, Response, Responses } from './openApiTypes.js';
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
      304: components.response(route.access === 'anyone' ? 'PublicNotModified' : 'NotModified', {
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
      sharedOrOwn(route, { status, codes }, components),
    ]),
  );
}

interface ErrorsOfStatus {
  readonly status: number;
  readonly codes: readonly ErrorCode[];
}

/** An error response: a component if the same errors are those of other operations, otherwise a part of the operation. */
function sharedOrOwn(route: Route, errors: ErrorsOfStatus, components: Components): Response | Reference {
  const response = errorResponse(route.access, errors, components);
  const name = sharedName(route, errors);
  return name === null ? response : components.response(name, response);
}

/**
 * The name of a response that several operations share, or null. One error has the name of its code. Several errors that
 * come before the handler have the name of their status and what else the operation takes.
 */
function sharedName(route: Route, { status, codes }: ErrorsOfStatus): string | null {
  const [code = '', ...others] = codes;
  const prefix = route.access === 'anyone' ? 'Public' : '';
  if (others.length === 0) {
    return `${prefix}${pascalCase(code, '_')}`;
  }
  if (route.errors.some((own) => errorCodes[own].status === status)) {
    return null;
  }
  return [prefix, pascalCase(STATUS_CODES[status] ?? '', ' '), suffixOf(route, status)].join('');
}

const badRequest = 400;
const forbidden = 403;

function suffixOf(route: Route, status: number): string {
  if (status === forbidden && route.method !== 'GET') {
    return 'ToChange';
  }
  const taken = [
    ...(route.body === noBody ? [] : ['Body']),
    ...(takesIdempotencyKey(route) ? ['IdempotencyKey'] : []),
  ];
  return status === badRequest && taken.length > 0 ? `With${taken.join('And')}` : '';
}

function pascalCase(words: string, separator: string): string {
  return words
    .split(separator)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
}

function errorResponse(
  access: Route['access'],
  { status, codes }: ErrorsOfStatus,
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
