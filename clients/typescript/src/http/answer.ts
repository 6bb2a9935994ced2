import {
  ApiError,
  AuthenticationError,
  IdempotencyError,
  InvalidRequestError,
  InvalidResponseError,
  PermissionError,
  RateLimitError,
  type PostriderError,
  type ResponseError,
  type ResponseErrorDetails,
} from '../errors.js';
import { decodeJson, type JsonPath } from '../json/decodeJson.js';
import { retryAfterOf } from './retryAfter.js';

/** A response that was read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The idempotency key of the request. */
  readonly idempotencyKey: string | null;
}

/** The number of characters of a body that an error shows. */
const shownLength = 500;

type ResponseErrorClass = new (message: string, details: ResponseErrorDetails) => ResponseError;

const classes: Readonly<Record<string, ResponseErrorClass>> = {
  invalid_request_error: InvalidRequestError,
  authentication_error: AuthenticationError,
  permission_error: PermissionError,
  idempotency_error: IdempotencyError,
  rate_limit_error: RateLimitError,
  api_error: ApiError,
};

/** Reads a response to its end. */
export async function answerOf(response: Response, idempotencyKey: string | null): Promise<Answer> {
  const { status, headers } = response;
  return { status, headers, text: await response.text(), idempotencyKey };
}

/**
 * The value of a successful answer.
 * @throws ResponseError or InvalidResponseError
 */
export function valueOf(answer: Answer, rawPaths: readonly JsonPath[]): object {
  if (answer.status < 200 || answer.status >= 300) {
    throw errorOf(answer);
  }
  const value = decoded(answer.text, rawPaths);
  if (value === null) {
    throw invalidResponse(answer, 'is no JSON object. Check whether baseUrl leads to Postrider');
  }
  return value;
}

/** The error of an answer that is not successful. */
export function errorOf(answer: Answer): PostriderError {
  if (answer.status < 400) {
    return invalidResponse(answer, redirectFault(answer));
  }
  const details = detailsOf(answer);
  if (details === null) {
    return invalidResponse(
      answer,
      'is no error of the API. Check whether baseUrl leads to Postrider, and what is in between',
    );
  }
  const { message, ...rest } = details;
  const request = rest.requestId === null ? '' : `, ${rest.requestId}`;
  // The API may add types of errors.
  const Class = classes[rest.type] ?? (rest.status >= 500 ? ApiError : InvalidRequestError);
  return new Class(`${message} (${rest.status} ${rest.code}${request})`, rest);
}

/** An error for a response that the API never sends. */
export function invalidResponse(
  { status, headers, text, idempotencyKey }: Answer,
  fault: string,
): InvalidResponseError {
  const body = text.slice(0, shownLength);
  return new InvalidResponseError(`The response with status ${status} ${fault}: ${JSON.stringify(body)}`, {
    status,
    body,
    requestId: headers.get('request-id'),
    idempotencyKey,
    retryAfter: retryAfterOf(headers),
  });
}

function redirectFault({ headers }: Answer): string {
  const location = headers.get('location');
  return `is a redirect${location === null ? '' : ` to ${location}`}, which the library does not follow, because it would send the API key there. Correct baseUrl`;
}

function detailsOf(answer: Answer): (ResponseErrorDetails & { readonly message: string }) | null {
  const value = decoded(answer.text, []);
  if (value === null || !('error' in value)) {
    return null;
  }
  const error = new Map(Object.entries(value.error ?? {}) as [string, unknown][]);
  const text = (name: string): string | null => {
    const field = error.get(name);
    return typeof field === 'string' ? field : null;
  };
  const [type, code, message] = [text('type'), text('code'), text('message')];
  if (type === null || code === null || message === null) {
    return null;
  }
  return {
    status: answer.status,
    type,
    code,
    message,
    param: text('param'),
    requestId: text('requestId') ?? answer.headers.get('request-id'),
    retryAfter: retryAfterOf(answer.headers),
    idempotencyKey: answer.idempotencyKey,
  };
}

function decoded(text: string, rawPaths: readonly JsonPath[]): object | null {
  try {
    const value = decodeJson(text, rawPaths);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
