import { errorCodes, type ErrorCode } from './errorCodes.js';

/** Why a request is not done. An expected outcome, so a value: nothing is thrown on the way to it. */
export interface ApiError {
  readonly refused: ErrorCode;
  /** Says what to do, for the person who reads it. Never holds a secret or an internal of this service. */
  readonly message: string;
  /** The body field or query parameter that is at fault, such as `events[2]`. */
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export function apiError(
  refused: ErrorCode,
  message: string,
  details: { readonly param?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): ApiError {
  return { refused, message, param: details.param ?? null, headers: details.headers ?? {} };
}

/**
 * Of a request of which it is not known whose it is. Every 401 says how to authenticate (RFC 9110 section 15.5.2).
 * @param error what RFC 6750 section 3 has a client told whose token is not accepted
 */
export function unauthenticated(code: ErrorCode, message: string, error = ''): ApiError {
  return apiError(code, message, { headers: { 'WWW-Authenticate': `Bearer realm="postrider"${error}` } });
}

export function isApiError(outcome: object): outcome is ApiError {
  return 'refused' in outcome;
}

/** Also for what belongs to another account or to the other mode: whether it exists there is nobody else's business. */
export function missingResource(kind: string, id: string): ApiError {
  return apiError(
    'resource_missing',
    `There is no ${kind} ${id} in this account and mode: check the id, and whose key it is.`,
  );
}

/** The value of the header `Link` (RFC 8288) that leads to the page about an error. */
export function helpLink({ refused }: ApiError): string {
  return `</docs/errors/${refused}>; rel="help"`;
}

/** The JSON text of the error envelope. */
export function errorEnvelope({ refused, message, param }: ApiError, requestId: string): string {
  const { type } = errorCodes[refused];
  return JSON.stringify({ error: { type, code: refused, message, param, requestId } });
}
