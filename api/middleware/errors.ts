import { messageOf, UnavailableError } from '../../shared/errors.js';
import type { Logger } from '../../shared/logger.js';
import { writeRefusal } from '../answer.js';
import type { ApiMiddleware } from '../context.js';
import { refusal, type Refusal } from '../refusal.js';

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
        writeRefusal(context, unavailable(error));
      } else {
        const stack = error instanceof Error ? error.stack : messageOf(error);
        logger.error({ requestId, route: route?.path, stack }, 'a request failed');
        writeRefusal(context, internalError);
      }
    }
  };
}

const internalError = refusal(
  'internal_error',
  'Something failed here. Try again; if it goes on, report the request id.',
);

function unavailable({ message, retryAfterSeconds }: UnavailableError): Refusal {
  return refusal('service_unavailable', `Try again later: ${message}.`, {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) },
  });
}

function causeOf({ cause }: Error): string | undefined {
  return cause === undefined ? undefined : messageOf(cause);
}
