/**
 * Every error that a client can meet: the code is what programs rely on, status and type follow from it.
 * Codes are public and only ever added.
 */
export const errorCodes = {
  parameter_missing: { status: 400, type: 'invalid_request_error' },
  parameter_invalid: { status: 400, type: 'invalid_request_error' },
  parameter_unknown: { status: 400, type: 'invalid_request_error' },
  json_invalid: { status: 400, type: 'invalid_request_error' },
  cursor_invalid: { status: 400, type: 'invalid_request_error' },
  url_invalid: { status: 400, type: 'invalid_request_error' },
  url_not_allowed: { status: 400, type: 'invalid_request_error' },
  event_type_invalid: { status: 400, type: 'invalid_request_error' },
  webhook_limit_reached: { status: 400, type: 'invalid_request_error' },
  api_key_missing: { status: 401, type: 'authentication_error' },
  api_key_invalid: { status: 401, type: 'authentication_error' },
  api_key_expired: { status: 401, type: 'authentication_error' },
  resource_missing: { status: 404, type: 'invalid_request_error' },
  route_not_found: { status: 404, type: 'invalid_request_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  payload_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'api_error' },
  service_unavailable: { status: 503, type: 'api_error' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly type: string }>>;

export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCodes, code);
}
