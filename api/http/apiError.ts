import type { UnavailableError } from '../../shared/core/errors.js';
import { errorCodes, type ErrorCode } from './errorCodes.js';

/**
 * The reason for rejecting a request. An `ApiError` is a value and not an exception, because a rejection is an expected
 * outcome.
 */
export interface ApiError {
  readonly errorCode: ErrorCode;
  /** The message that tells a developer what to do. The message never contains a secret or internals of the service. */
  readonly message: string;
  /** The invalid field or parameter, such as `events[2]`. */
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export function apiError(
  errorCode: ErrorCode,
  message: string,
  details: { readonly param?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): ApiError {
  return { errorCode, message, param: details.param ?? null, headers: details.headers ?? {} };
}

/**
 * The error for a request without a valid identity. Every 401 names the way to authenticate (RFC 9110 section 15.5.2).
 * @param error the parameter `error` of RFC 6750 section 3, for a rejected token
 */
export function unauthenticated(code: ErrorCode, message: string, error = ''): ApiError {
  return apiError(code, message, { headers: { 'WWW-Authenticate': `Bearer realm="postrider"${error}` } });
}

export function isApiError(outcome: object): outcome is ApiError {
  return 'errorCode' in outcome;
}

/**
 * The error for an unknown resource. A resource of another account or mode also gets this error, so that a client
 * cannot detect its existence.
 */
export function missingResource(kind: string, id: string): ApiError {
  return apiError(
    'resource_missing',
    `The ${kind} ${id} does not exist in the account and mode of the key. Check the id and the key.`,
  );
}

/** The error for a resource of a tenant that does not exist. */
export function unknownTenant(tenantId: string): ApiError {
  return apiError('tenant_unknown', `The tenant ${tenantId} does not exist. Create the tenant first.`, {
    param: 'tenantId',
  });
}

/** The error for a temporary failure, with the time after which the client may repeat the request. */
export function serviceUnavailable({ message, retryAfterSeconds }: UnavailableError): ApiError {
  return apiError('service_unavailable', `Retry later: ${message}.`, {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) },
  });
}

/** The value of the header `Link` (RFC 8288) to the page about an error. */
export function helpLink({ errorCode }: ApiError): string {
  return `</docs/errors/${errorCode}>; rel="help"`;
}

/** The JSON text of the error envelope. */
export function errorEnvelope({ errorCode, message, param }: ApiError, requestId: string): string {
  const { type } = errorCodes[errorCode];
  return JSON.stringify({ error: { type, code: errorCode, message, param, requestId } });
}
