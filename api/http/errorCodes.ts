interface ErrorDescription {
  readonly status: number;
  readonly type: string;
  /** Whether the same request may succeed later, without a change of it. A client should repeat no other one. */
  readonly retryable: boolean;
  /** What has happened. */
  readonly meaning: string;
  /** What its reader can do. */
  readonly remedy: string;
}

/**
 * Every error that a client can meet: the code is what programs rely on, all else follows from it, the pages that describe
 * the errors included. Codes are public and only ever added.
 */
export const errorCodes = {
  parameter_missing: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'A field of the body or a parameter that must be there is not.',
    remedy: 'Send it; `param` names it.',
  },
  parameter_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'A field of the body or a parameter has a wrong type or value.',
    remedy: 'Correct it: `param` names it, and `message` says what it must be.',
  },
  parameter_unknown: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The request has a field or a parameter that this operation does not know.',
    remedy: 'Remove what `param` names, or correct its spelling.',
  },
  http_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The request is not valid HTTP/1.1, or it has no `Host` header.',
    remedy: 'Use an HTTP library, and check the proxies between the client and the API.',
  },
  json_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning:
      'The body is empty, is no JSON in UTF-8, has a byte-order mark, nests too deeply or repeats a field.',
    remedy: 'Send one JSON object, written by a JSON library. `data` may have 1,000 levels.',
  },
  cursor_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: '`startingAfter` or `endingBefore` is no id that this list has, or ever had.',
    remedy: 'Take the id of the first or the last element of a page of the list. A deleted one still works.',
  },
  url_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The `url` of a webhook cannot be used.',
    remedy:
      'Send an absolute `https:` URL of at most 2,048 characters, without credentials and without a fragment, of a host whose name has letters, digits, dots, hyphens and underscores alone.',
  },
  url_not_allowed: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The `url` of a webhook leads to an address that is not public.',
    remedy: 'Send a URL that the internet can reach.',
  },
  event_type_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'An event type has characters or a length that no event type has.',
    remedy: 'Send at most 128 characters: words of letters, digits and underscores, joined by dots.',
  },
  webhook_limit_reached: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The account has as many webhooks in this mode as it may have.',
    remedy: 'Delete one that is no longer needed, or let one webhook take several event types.',
  },
  test_mode_unsupported: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'This operation delivers something, and in test mode nothing is ever delivered.',
    remedy: 'Use a live key.',
  },
  idempotency_key_invalid: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The header `Idempotency-Key` is empty, too long, not printable, badly quoted or repeated.',
    remedy: 'Send one key of 1 to 255 printable ASCII characters, such as a UUID.',
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
    meaning: 'This API key is not known: it is mistyped, or it was deleted.',
    remedy: 'Check that the whole key is sent. Create another one where it was deleted.',
  },
  api_key_expired: {
    status: 401,
    type: 'authentication_error',
    retryable: false,
    meaning: 'The time of this API key is over.',
    remedy: 'Create another one. To rotate without a gap, create it before the old one expires.',
  },
  session_expired: {
    status: 401,
    type: 'authentication_error',
    retryable: false,
    meaning:
      'The session of the dashboard has ended: after 12 hours without use, 7 days in all, by signing out, with another password, or ' +
      'with the person or the account.',
    remedy: 'Sign in again.',
  },
  credentials_invalid: {
    status: 401,
    type: 'authentication_error',
    retryable: false,
    meaning: 'No person has this e-mail address with this password.',
    remedy:
      'Check both. An owner of the account, or the operator of this service, can make a new sign-in link.',
  },
  link_invalid: {
    status: 401,
    type: 'authentication_error',
    retryable: false,
    meaning: 'This sign-in link is not known, was used, was replaced by another one, or is too old.',
    remedy: 'Ask an owner of the account, or the operator of this service, for a new one.',
  },
  insufficient_scope: {
    status: 403,
    type: 'permission_error',
    retryable: false,
    meaning:
      'This key may not do this: it has not the scope, it has scopes where a full key is needed, or it is a test key and this is about ' +
      'live data. Or it is the role of the person who is signed in. `message` says which.',
    remedy: 'Use a key or a role that may do it.',
  },
  account_suspended: {
    status: 403,
    type: 'permission_error',
    retryable: false,
    meaning: 'The operator of this service has suspended the account, its keys and its sign-ins.',
    remedy: 'Write to the operator of this service. The keys work again when the account is resumed.',
  },
  plan_required: {
    status: 403,
    type: 'permission_error',
    retryable: false,
    meaning: 'The plan of the account has no keys with scopes: they are for Enterprise.',
    remedy: 'Use a full key, or change the plan.',
  },
  csrf_invalid: {
    status: 403,
    type: 'permission_error',
    retryable: false,
    meaning: 'A change came with a session, and not from the page of that session.',
    remedy: 'Send the `csrfToken` of the session in the header `Postrider-CSRF`.',
  },
  resource_missing: {
    status: 404,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'There is no such resource in the account and mode of this key. It may have been deleted.',
    remedy: 'Check the id, and whether it belongs to the mode of the key: live and test data are apart.',
  },
  route_not_found: {
    status: 404,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'There is nothing at this path.',
    remedy: 'Check the path: its case counts, and it has no trailing slash.',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'This path does not take this method.',
    remedy: 'Use one of the methods in the header `Allow`.',
  },
  request_timeout: {
    status: 408,
    type: 'invalid_request_error',
    retryable: true,
    meaning: 'The header did not arrive within 10 s, or the whole request within 30 s. It was not processed.',
    remedy: 'Send the same request again. If this happens often, check the network of the client.',
  },
  webhook_disabled: {
    status: 409,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The webhook is disabled, or none of the webhooks that the event was for is active.',
    remedy: 'Enable the webhook first: a PATCH with `"status": "active"`.',
  },
  last_key: {
    status: 409,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The key is the last full key of its mode that has not expired.',
    remedy: 'Create another full key of that mode first, then delete this one.',
  },
  user_exists: {
    status: 409,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'A person of the account has this e-mail address already.',
    remedy: 'Change that one, or make a new sign-in link for it.',
  },
  last_owner: {
    status: 409,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The person is the last owner who can sign in: without one nobody could manage the account.',
    remedy: 'Make somebody else an owner first, and wait until that one has signed in.',
  },
  idempotency_key_in_use: {
    status: 409,
    type: 'idempotency_error',
    retryable: true,
    meaning: 'A request with the same `Idempotency-Key` is still running.',
    remedy: 'Send the same request again in a moment: it is answered as that one was.',
  },
  payload_too_large: {
    status: 413,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The body is larger than 256 KiB (4 KiB at a sign-in), or its chunk extensions than 16 KiB.',
    remedy: 'Keep large content elsewhere and send a reference to it.',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    retryable: false,
    meaning: 'The body is not declared as JSON in UTF-8, or it is compressed.',
    remedy: 'Send `Content-Type: application/json` and no `Content-Encoding`.',
  },
  idempotency_key_reused: {
    status: 422,
    type: 'idempotency_error',
    retryable: false,
    meaning: 'The same `Idempotency-Key` came with another body within the last 24 hours.',
    remedy: 'Use a new key for each request that is to do something new.',
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    retryable: true,
    meaning:
      'The account has sent more requests in this mode than its plan allows in a second, follows its events in as many streams as it ' +
      'may, signing in has failed too often, or the network of the client has sent too many API keys that do not exist.',
    remedy:
      'Wait for the seconds in `Retry-After`, then try again. `RateLimit` says on every answer what is left, so that a client can ' +
      'slow down before.',
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
    meaning: 'Something failed in the service. It is logged under the `requestId`.',
    remedy: 'Try again, with growing pauses. If it goes on, report the `requestId`.',
  },
  service_unavailable: {
    status: 503,
    type: 'api_error',
    retryable: true,
    meaning: 'A dependency is unavailable or behind, or the account has too many lists or unread bytes.',
    remedy: 'Wait for the seconds in `Retry-After`, then try again. `message` contains the reason.',
  },
} as const satisfies Readonly<Record<string, ErrorDescription>>;

export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCodes, code);
}
