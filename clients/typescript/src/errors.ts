/**
 * The errors of this library. Arguments in the wrong form, such as an empty API key, are a `TypeError` instead.
 */

/** Any error of a request, a stream or a webhook. */
export class PostriderError extends Error {
  override readonly name: string = 'PostriderError';
}

/** What an error response of the API says. */
export interface ResponseErrorDetails {
  /** The HTTP status. */
  readonly status: number;
  /** The type of the error, such as `invalid_request_error`. */
  readonly type: string;
  /** The stable code, such as `parameter_missing`. The service has a page about each at `/docs/errors/{code}`. */
  readonly code: string;
  /** The field or parameter that caused the error, or null. */
  readonly param: string | null;
  /** The id of the request, for questions to the operator of the service. */
  readonly requestId: string | null;
  /** The seconds after which the service allows another request, or null. */
  readonly retryAfter: number | null;
  /** The idempotency key of the request, or null. Pass it again to repeat a request without a second effect. */
  readonly idempotencyKey: string | null;
}

/** The API has answered with an error. Each type of error has a class of its own. */
export class ResponseError extends PostriderError implements ResponseErrorDetails {
  override readonly name: string = 'ResponseError';
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly param: string | null;
  readonly requestId: string | null;
  readonly retryAfter: number | null;
  readonly idempotencyKey: string | null;

  constructor(message: string, details: ResponseErrorDetails) {
    super(message);
    this.status = details.status;
    this.type = details.type;
    this.code = details.code;
    this.param = details.param;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.idempotencyKey = details.idempotencyKey;
  }
}

/** The request is wrong, or its resource does not exist (`invalid_request_error`). `param` often names the field. */
export class InvalidRequestError extends ResponseError {
  override readonly name = 'InvalidRequestError';
}

/** The API key is missing, unknown or expired (`authentication_error`). */
export class AuthenticationError extends ResponseError {
  override readonly name = 'AuthenticationError';
}

/** The API key may not do this (`permission_error`). */
export class PermissionError extends ResponseError {
  override readonly name = 'PermissionError';
}

/** The idempotency key belongs to another request, or to one that still runs (`idempotency_error`). */
export class IdempotencyError extends ResponseError {
  override readonly name = 'IdempotencyError';
}

/** The account has sent too many requests (`rate_limit_error`). `retryAfter` says when to continue. */
export class RateLimitError extends ResponseError {
  override readonly name = 'RateLimitError';
}

/** The service has failed, or is unavailable (`api_error`). Repeat the request later with its `idempotencyKey`. */
export class ApiError extends ResponseError {
  override readonly name = 'ApiError';
}

/** There is no response, or only a part of one. The request may have had its effect. */
export class ConnectionError extends PostriderError {
  override readonly name: string = 'ConnectionError';
  /** The idempotency key of the request, or null. Pass it again to repeat a request without a second effect. */
  readonly idempotencyKey: string | null;

  constructor(
    message: string,
    options: { readonly idempotencyKey: string | null; readonly cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.idempotencyKey = options.idempotencyKey;
  }
}

/** The response was not complete within `timeout`. The request may have had its effect. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** A complete response that the API never sends, such as the page of a load balancer, a redirect or malformed JSON. */
export class InvalidResponseError extends PostriderError {
  override readonly name = 'InvalidResponseError';
  /** The HTTP status. */
  readonly status: number;
  /** The beginning of the body. */
  readonly body: string;
  /** The id of the request, or null if the response does not come from the service. */
  readonly requestId: string | null;
  /** The idempotency key of the request, or null. Pass it again to repeat a request without a second effect. */
  readonly idempotencyKey: string | null;
  /** The seconds after which the server allows another request, or null. */
  readonly retryAfter: number | null;

  constructor(
    message: string,
    details: Pick<InvalidResponseError, 'status' | 'body' | 'requestId' | 'idempotencyKey' | 'retryAfter'>,
  ) {
    super(message);
    this.status = details.status;
    this.body = details.body;
    this.requestId = details.requestId;
    this.idempotencyKey = details.idempotencyKey;
    this.retryAfter = details.retryAfter;
  }
}

/**
 * The event stream has omitted events. Read them with `events.list`, from the newest back to `lastEventId`, and begin
 * another stream.
 */
export class StreamGapError extends PostriderError {
  override readonly name = 'StreamGapError';
  /** The last event before the gap, or null if there was none. */
  readonly lastEventId: string | null;

  constructor(lastEventId: string | null) {
    super(
      'The event stream has omitted events, because too many were new at once, or because the service does not know ' +
        'the last event. Read them with events.list, and begin another stream.',
    );
    this.lastEventId = lastEventId;
  }
}

/** Why a request to a webhook is not accepted. */
export type WebhookVerificationFault =
  | 'header_missing'
  | 'timestamp_invalid'
  | 'timestamp_out_of_tolerance'
  | 'signature_mismatch'
  | 'body_invalid';

/** The request to a webhook is not genuine: answer it with a 400, and do nothing else. */
export class SignatureVerificationError extends PostriderError {
  override readonly name = 'SignatureVerificationError';
  readonly code: WebhookVerificationFault;

  constructor(code: WebhookVerificationFault, message: string) {
    super(message);
    this.code = code;
  }
}
