import { messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import { writeError } from '../http/answer.js';
import type { ApiMiddleware } from '../http/context.js';
import { apiError, type ApiError } from '../http/apiError.js';

/** The one place where what was thrown becomes an answer: 503 for what passes by itself, else 500 without its reason. */
export function createErrorMapping(logger: Logger): ApiMiddleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const { requestId, route } = context.state;
      if (error instanceof UnavailableError) {
        logger.warn(
          { requestId, reason: error.message, cause: causeOf(error) },
          'a request could not be served now',
        );
        writeError(context, unavailable(error));
      } else {
        const stack = error instanceof Error ? error.stack : messageOf(error);
        logger.error({ requestId, route: route?.path, stack }, 'a request failed');
        writeError(context, internalError);
      }
    }
  };
}

const internalError = apiError(
  'internal_error',
  'Something failed here. Try again; if it goes on, report the request id.',
);

function unavailable({ message, retryAfterSeconds }: UnavailableError): ApiError {
  return apiError('service_unavailable', `Try again later: ${message}.`, {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) },
  });
}

function causeOf({ cause }: Error): string | undefined {
  return cause === undefined ? undefined : messageOf(cause);
}
