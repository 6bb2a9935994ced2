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

/**
 * All errors of the API by code. Clients rely on error codes, and the error pages are generated from this table. Error
 * codes are public, so a code may be added, but is never removed.
 */
export const errorCodes = {
  parameter_missing: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'A required field or parameter is missing.',
    remedy: 'Add the field or parameter that `param` names to the request.',
  },
  parameter_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'A field or parameter has an invalid type or value.',
    remedy: 'Correct the field or parameter that `param` names. `message` contains the rule.',
  },
  parameter_unknown: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The request contains an unknown field or parameter.',
    remedy: 'Remove the field or parameter that `param` names, or correct its spelling.',
  },
  http_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The request is not valid HTTP/1.1, or has no `Host` header.',
    remedy: 'Use an HTTP library, and check the proxies between the client and the API.',
  },
  json_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The request body is not plain JSON in UTF-8, is nested too deeply, or repeats a field.',
    remedy: 'Send one JSON object that a JSON library has written. `data` may have 1,000 levels.',
  },
  cursor_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: '`startingAfter` or `endingBefore` is not an id of this list.',
    remedy: 'Use the id of the first or the last resource of a page, even if the resource was deleted.',
  },
  url_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The `url` of a webhook is invalid.',
    remedy:
      'Send an absolute `https:` URL of at most 2,048 characters, without credentials and ' +
      'fragment. The host name may contain letters, digits, dots, hyphens and underscores.',
  },
  url_not_allowed: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The `url` of a webhook resolves to an address that is not public.',
    remedy: 'Send a webhook `url` that is reachable from the internet.',
  },
  event_type_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'An event type is too long or contains invalid characters.',
    remedy: 'Send at most 128 characters for an event type: words of letters, digits and _, joined by dots.',
  },
  webhook_limit_reached: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The account has the maximum number of webhooks in this mode.',
    remedy: 'Delete an unused webhook, or use one webhook for several event types.',
  },
  test_mode_unsupported: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'This operation delivers events, and test mode has no deliveries.',
    remedy: 'Repeat the request with a live key.',
  },
  idempotency_key_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning:
      'The header `Idempotency-Key` is empty, too long, not printable, incorrectly quoted or repeated.',
    remedy: 'Send one idempotency key of 1 to 255 printable ASCII characters, such as a UUID.',
  },
  api_key_missing: {
    status: 401,
    type: 'authentication_error',
    retryable: false,
    meaning: 'The request has no API key.',
    remedy: 'Send the header `Authorization: Bearer <API_KEY>`.',
  },
  api_key_invalid: {
    status: 401,
    type: 'authentication_error',
    retryable: false,
    meaning: 'The API key is unknown, because it is mistyped or was deleted.',
    remedy: 'Check that the request contains the whole API key. If the key was deleted, create a new key.',
  },
  api_key_expired: {
    status: 401,
    type: 'authentication_error',
    retryable: false,
    meaning: 'The API key has expired.',
    remedy: 'Create a new API key. For a rotation without a gap, create it before the old key expires.',
  },
  session_expired: {
    status: 401,
    type: 'authentication_error',
    retryable: false,
    meaning:
      'The session has ended: after 12 hours of inactivity, after 7 days, or by a sign-out, a ' +
      'new password, a suspension or a deletion.',
    remedy: 'Sign in to the dashboard again.',
  },
  credentials_invalid: {
    status: 401,
    type: 'authentication_error',
    retryable: false,
    meaning: 'The email address or the password is wrong.',
    remedy:
      'Check the email address and the password. An owner of the account or the operator of ' +
      'this service can create a new sign-in link.',
  },
  link_invalid: {
    status: 401,
    type: 'authentication_error',
    retryable: false,
    meaning: 'The sign-in link is unknown, used, replaced by a newer link, or expired.',
    remedy: 'Ask an owner of the account or the operator of this service for a new sign-in link.',
  },
  insufficient_scope: {
    status: 403,
    type: 'permission_error',
    retryable: false,
    meaning:
      'The key or the role of the user does not permit this operation. `message` names the missing permission.',
    remedy: 'Use an API key or a user with the required permission.',
  },
  account_suspended: {
    status: 403,
    type: 'permission_error',
    retryable: false,
    meaning: 'The operator of this service has suspended the account with its API keys and sign-ins.',
    remedy: 'Contact the operator of this service, who can resume the account with its API keys.',
  },
  plan_required: {
    status: 403,
    type: 'permission_error',
    retryable: false,
    meaning: 'API keys with scopes require the plan Enterprise.',
    remedy: 'Use a full API key, or change the plan of the account.',
  },
  csrf_invalid: {
    status: 403,
    type: 'permission_error',
    retryable: false,
    meaning: 'A change with a session lacks a valid CSRF token, or comes from another origin.',
    remedy: 'Send the `csrfToken` of the session in the header `Postrider-CSRF`.',
  },
  resource_missing: {
    status: 404,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The resource does not exist in the account and mode of the API key, or was deleted.',
    remedy: 'Check the id of the resource and the mode of the API key. Live and test data are separate.',
  },
  route_not_found: {
    status: 404,
    type: 'invalid_request_error',
    retryable: false,
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
    status: 409,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The webhook is disabled, or all webhooks of the deliveries are disabled.',
    remedy: 'Enable the webhook with a PATCH of `"status": "active"`, then repeat the request.',
  },
  last_key: {
    status: 409,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The API key is the last unexpired full key of its mode, so it cannot be deleted.',
    remedy: 'Create another full key of that mode first, then delete this key.',
  },
  user_exists: {
    status: 409,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'Another user of the account has the same email address.',
    remedy: 'Change the existing user, or create a new sign-in link for that user.',
  },
  last_owner: {
    status: 409,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The user is the last owner who can sign in, and an account needs an owner.',
    remedy: 'Make another user an owner first, and wait until that user has signed in.',
  },
  idempotency_key_in_use: {
    status: 409,
    type: 'idempotency_error',
    retryable: true,
    meaning: 'A request with the same `Idempotency-Key` is in progress.',
    remedy: 'Retry the request in a second. The retry gets the response of the request in progress.',
  },
  payload_too_large: {
    status: 413,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The request body exceeds 256 KiB (4 KiB at a sign-in), or its chunk extensions exceed 16 KiB.',
    remedy: 'Store large content elsewhere, and send a reference to that content.',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The body of the request is not declared as JSON in UTF-8, or is compressed.',
    remedy: 'Send `Content-Type: application/json` and no `Content-Encoding`.',
  },
  idempotency_key_reused: {
    status: 422,
    type: 'idempotency_error',
    retryable: false,
    meaning: 'The same `Idempotency-Key` was sent with another body within the last 24 hours.',
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
      'Kafka, MongoDB or Redis is unavailable, a read model is behind, or the account has too ' +
      'many lists or unread bytes.',
    remedy: 'Wait for the seconds in `Retry-After`, then retry the request. `message` contains the reason.',
  },
} as const satisfies Readonly<Record<string, ErrorDescription>>;

export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCodes, code);
}
