interface ErrorDescription {
  readonly status: number;
  readonly type: string;
  /** Whether the unchanged request may succeed later. Clients should not repeat it after any other error. */
  readonly retryable: boolean;
  /** The cause of the error. */
  readonly meaning: string;
  /** The action that the developer should take after the error. */
  readonly remedy: string;
}

const invalidRequest = { status: 400, type: 'invalid_request_error', retryable: false } as const;
const unauthenticated = { status: 401, type: 'authentication_error', retryable: false } as const;
const forbidden = { status: 403, type: 'permission_error', retryable: false } as const;
const missing = { status: 404, type: 'invalid_request_error', retryable: false } as const;
const conflict = { status: 409, type: 'invalid_request_error', retryable: false } as const;

/**
 * All errors of the API by code, from which `docs/errors.md`, the pages below `/docs/errors` and the OpenAPI document
 * are generated. Clients rely on error codes, so a code may be added, but is never removed.
 */
export const errorCodes = {
  parameter_missing: {
    ...invalidRequest,
    meaning: 'A required field or parameter is missing.',
    remedy: 'Add the field or parameter that `param` names to the request.',
  },
  parameter_invalid: {
    ...invalidRequest,
    meaning: 'A field or parameter has an invalid type or value.',
    remedy: 'Correct the field or parameter that `param` names. `message` contains the rule.',
  },
  parameter_unknown: {
    ...invalidRequest,
    meaning: 'The request contains an unknown field or parameter.',
    remedy: 'Remove the field or parameter that `param` names, or correct its spelling.',
  },
  http_invalid: {
    ...invalidRequest,
    meaning: 'The request is not valid HTTP/1.1, or has no `Host` header.',
    remedy: 'Use an HTTP library, and check the proxies between the client and the API.',
  },
  json_invalid: {
    ...invalidRequest,
    meaning: 'The request body is not plain JSON in UTF-8, is nested too deeply, or repeats a field.',
    remedy: 'Send one JSON object that a JSON library has written. `data` may have 1,000 levels.',
  },
  cursor_invalid: {
    ...invalidRequest,
    meaning: '`startingAfter` or `endingBefore` is not an id of this list.',
    remedy: 'Use the id of the first or the last resource of a page, even if the resource was deleted.',
  },
  url_invalid: {
    ...invalidRequest,
    meaning: 'The `url` or the `auth.tokenUrl` of a webhook is invalid.',
    remedy:
      'Send an absolute `https:` URL of at most 2,048 characters, without credentials and fragment. The host name may contain letters, digits, dots, hyphens and underscores.',
  },
  url_not_allowed: {
    ...invalidRequest,
    meaning: 'The `url` or the `auth.tokenUrl` of a webhook has an address that is not public.',
    remedy: 'Send a URL that is reachable from the internet.',
  },
  event_type_invalid: {
    ...invalidRequest,
    meaning: 'An event type is too long or contains invalid characters.',
    remedy: 'Send at most 128 characters for an event type: words of letters, digits and _, joined by dots.',
  },
  webhook_limit_reached: {
    ...invalidRequest,
    meaning: 'The tenant, or the account without its tenants, has the maximum number of webhooks.',
    remedy: 'Delete an unused webhook, or use one webhook for several event types.',
  },
  tenant_unknown: {
    ...invalidRequest,
    meaning: 'The tenant does not exist.',
    remedy: 'Create the tenant first.',
  },
  filter_invalid: {
    ...invalidRequest,
    meaning: 'The `filter` of a webhook is not a valid filter, or exceeds a limit.',
    remedy: 'Correct the place in the filter that `param` names. `message` contains the rule.',
  },
  schema_invalid: {
    ...invalidRequest,
    meaning: 'The `schema` of an event type is not a supported JSON Schema, or exceeds a limit.',
    remedy: 'Correct the place in the JSON Schema 2020-12 that `param` names. `message` has the rule.',
  },
  event_data_invalid: {
    ...invalidRequest,
    meaning: 'The `data` of the event does not match the schema of its type, or is too complex.',
    remedy: 'Correct the place that `param` names. `GET /v1/event-types/{name}` returns the schema.',
  },
  event_type_limit_reached: {
    ...invalidRequest,
    meaning:
      'The account has the maximum number of event types in this mode, or the maximum size of their schemas.',
    remedy: 'Delete an unused event type, or shorten the schemas and examples.',
  },
  test_mode_unsupported: {
    ...invalidRequest,
    meaning: 'This operation delivers events, and test mode has no deliveries.',
    remedy: 'Repeat the request with a live key.',
  },
  idempotency_key_invalid: {
    ...invalidRequest,
    meaning:
      'The header `Idempotency-Key` is empty, too long, not printable, incorrectly quoted or repeated.',
    remedy: 'Send one idempotency key of 1 to 255 printable ASCII characters, such as a UUID.',
  },
  api_key_missing: {
    ...unauthenticated,
    meaning: 'The request has no API key.',
    remedy: 'Send the header `Authorization: Bearer <API_KEY>`.',
  },
  api_key_invalid: {
    ...unauthenticated,
    meaning: 'The API key is unknown, because it is mistyped, or because the key or its tenant was deleted.',
    remedy: 'Check that the request contains the whole API key. If the key was deleted, create a new key.',
  },
  api_key_expired: {
    ...unauthenticated,
    meaning: 'The API key has expired.',
    remedy: 'Create a new API key. For a rotation without a gap, create it before the old key expires.',
  },
  session_expired: {
    ...unauthenticated,
    meaning:
      'The session has ended: after 12 hours of inactivity, after 7 days, or by a sign-out, a new password, a suspension or a deletion.',
    remedy: 'Sign in to the dashboard again.',
  },
  portal_session_expired: {
    ...unauthenticated,
    meaning: 'The portal session has expired or was ended, or its tenant was deleted.',
    remedy: 'Open a new portal session for the tenant, and use its token.',
  },
  credentials_invalid: {
    ...unauthenticated,
    meaning: 'The email address or the password is wrong.',
    remedy:
      'Check the email address and the password. An owner of the account or the operator of this service can create a new sign-in link.',
  },
  link_invalid: {
    ...unauthenticated,
    meaning: 'The sign-in link is unknown, used, replaced by a newer link, or expired.',
    remedy:
      'If you have set a password, sign in with it. Otherwise, ask an owner of the account or the operator of this ' +
      'service for a new sign-in link.',
  },
  insufficient_scope: {
    ...forbidden,
    meaning: 'The key or the role does not permit this operation. `message` names the missing permission.',
    remedy: 'Use an API key or a user with the required permission.',
  },
  account_suspended: {
    ...forbidden,
    meaning: 'The operator of this service has suspended the account with its API keys and sign-ins.',
    remedy: 'Contact the operator of this service, who can resume the account with its API keys.',
  },
  plan_required: {
    ...forbidden,
    meaning: 'API keys with scopes require the plan Enterprise.',
    remedy:
      'Use a full API key, or ask the operator of this service to change the plan with `postrider account set-plan`.',
  },
  csrf_invalid: {
    ...forbidden,
    meaning: 'A change with a session lacks a valid CSRF token, or comes from another origin.',
    remedy: 'Send the `csrfToken` of the session in the header `Postrider-CSRF`.',
  },
  origin_not_allowed: {
    ...forbidden,
    meaning:
      'A page sent a portal token from an origin that the account of the portal session does not list.',
    remedy: 'Add the origin of the page to `portal.origins` with `PATCH /v1/account`.',
  },
  resource_missing: {
    ...missing,
    meaning: 'The resource does not exist in the account and mode of the API key, or was deleted.',
    remedy: 'Check the id of the resource and the mode of the API key. Live and test data are separate.',
  },
  route_not_found: {
    ...missing,
    meaning: 'The API has no operation with this path.',
    remedy: 'Check the spelling of the path. Paths are case-sensitive and have no trailing slash.',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The path does not support this method.',
    remedy: 'Use one of the methods in the header `Allow`.',
  },
  request_timeout: {
    status: 408,
    type: 'invalid_request_error',
    retryable: true,
    meaning: 'The header of the request did not arrive within 10 s, or the whole request not within 30 s.',
    remedy: 'Retry the request. If the error is frequent, check the network of the client.',
  },
  webhook_disabled: {
    ...conflict,
    meaning: 'The webhook is disabled, or the event has no delivery to an active webhook.',
    remedy:
      'Enable the webhook with a PATCH of `"status": "active"`, then repeat the request. To deliver an event to a webhook that it has no delivery to, create a replay with `only: "missing"`.',
  },
  deliveries_unknown: {
    status: 409,
    type: 'invalid_request_error',
    retryable: true,
    meaning:
      'The deliveries of the event are not known yet, because the service has not recorded which webhooks match it.',
    remedy:
      'Repeat the request in a second. If the error lasts longer than a few seconds, delivery is behind or stopped, and delivers the event when it continues.',
  },
  last_key: {
    ...conflict,
    meaning: 'The API key is the last unexpired full key of its mode, so it cannot be deleted.',
    remedy: 'Create another full key of that mode first, then delete this key.',
  },
  user_exists: {
    ...conflict,
    meaning: 'Another user of the account has the same email address.',
    remedy: 'Change the existing user, or create a new sign-in link for that user.',
  },
  last_owner: {
    ...conflict,
    meaning: 'The user is the last owner who can sign in, and an account needs an owner.',
    remedy: 'Make another user an owner first, and wait until that user has signed in.',
  },
  idempotency_key_in_use: {
    status: 409,
    type: 'idempotency_error',
    retryable: true,
    meaning: 'A request with the same idempotency key is in progress.',
    remedy: 'Retry the request in a second. The retry gets the response of the request in progress.',
  },
  payload_too_large: {
    status: 413,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The body exceeds 256 KiB (4 MiB for a batch, 4 KiB at a sign-in), or an event exceeds 256 KiB.',
    remedy: 'Store large content elsewhere, and send a reference. Chunk extensions may have 16 KiB.',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The body or the data of a CloudEvent is not declared as JSON in UTF-8, or is compressed.',
    remedy: 'Send `Content-Type: application/json` and no `Content-Encoding`.',
  },
  idempotency_key_reused: {
    status: 422,
    type: 'idempotency_error',
    retryable: false,
    meaning: 'The same idempotency key was sent with another body or event within the last 24 hours.',
    remedy: 'Use a new `Idempotency-Key` for each new request.',
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    retryable: true,
    meaning: 'The account, network or sign-in has exceeded a limit of requests, streams, failures or keys.',
    remedy: 'Wait for the seconds in `Retry-After`, then retry the request.',
  },
  headers_too_large: {
    status: 431,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The path, the query and the header fields of the request are together larger than 16 KiB.',
    remedy: 'Send fewer or shorter header fields and parameters.',
  },
  internal_error: {
    status: 500,
    type: 'api_error',
    retryable: true,
    meaning: 'An internal error occurred. The log of the API contains the error with the `requestId`.',
    remedy: 'Retry the request with exponential backoff. If the error persists, report the `requestId`.',
  },
  service_unavailable: {
    status: 503,
    type: 'api_error',
    retryable: true,
    meaning:
      'Kafka, MongoDB or Redis is unavailable, a read model is behind, or the account has too many lists or unread bytes.',
    remedy: 'Wait for the seconds in `Retry-After`, then retry the request. `message` contains the reason.',
  },
} as const satisfies Readonly<Record<string, ErrorDescription>>;

/** What a client should know about all errors, as paragraphs of Markdown. */
export const aboutErrors = [
  'Every error is `{"error": {"type", "code", "message", "param", "requestId"}}`. Programs should use the `code`. A published code is never removed. The `message` is for people and may change. `param` names the field or parameter that caused the error, or is null. If you ask for help, include the `requestId`.',
  'Repeat a request only if its code is retryable. If the response has the header `Retry-After`, wait for that number of seconds; otherwise wait longer before each repetition. Give each POST an `Idempotency-Key`, so that a repeated request takes effect once. If a request gets no response, for example because the connection was lost, repeat it in the same way.',
] as const;

export type ErrorCode = keyof typeof errorCodes;

export const allErrorCodes = Object.keys(errorCodes) as readonly ErrorCode[];

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCodes, code);
}
