export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  /** The HTTP status of the answer, or 0 without an answer. */
  readonly status: number;
  readonly code: string;
  /** The field or parameter that the error is about. */
  readonly param: string | null;
  readonly requestId: string | null;

  constructor(status: number, { code, message, param, requestId }: ErrorBody) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
    this.requestId = requestId;
  }
}

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly requestId: string | null;
}

/** The failure in the body of an answer. A proxy may have sent a body of any form. */
export function failureOfAnswer(status: number, body: unknown): RequestFailure {
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {};
  const { code, message, param, requestId } = error;
  return new RequestFailure(status, {
    code: typeof code === 'string' ? code : 'unexpected_answer',
    message: typeof message === 'string' ? message : `The service returned the status ${status}.`,
    param: typeof param === 'string' ? param : null,
    requestId: typeof requestId === 'string' ? requestId : null,
  });
}

/** The failure for an error that was thrown during a request. */
export function failureOf(thrown: unknown): RequestFailure {
  if (thrown instanceof RequestFailure) {
    return thrown;
  }
  const isTimeout = thrown instanceof DOMException && thrown.name === 'TimeoutError';
  return new RequestFailure(0, {
    code: isTimeout ? 'timeout' : 'unreachable',
    message: isTimeout
      ? 'The service did not respond in time. Try again in a moment.'
      : 'The service cannot be reached. Check your connection, then try again.',
    param: null,
    requestId: null,
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
