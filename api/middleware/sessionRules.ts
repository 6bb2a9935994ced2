import type { IncomingHttpHeaders } from 'node:http';

import type { Mode } from '../../shared/domain/core/fact.js';
import { writeError } from '../http/answer.js';
import type { Caller } from '../http/caller.js';
import type { ApiContext, ApiMiddleware } from '../http/context.js';
import { apiError, type ApiError } from '../http/apiError.js';
import { isSameToken } from '../authentication/sessionCookie.js';

const modeHeader = 'postrider-mode';
const tokenHeader = 'postrider-csrf';
const modes: readonly unknown[] = ['live', 'test'] satisfies readonly Mode[];
const harmless: readonly string[] = ['GET', 'HEAD'];

/** The mode of a request that comes with a session. What is neither mode is refused later, and counted as live till then. */
export function modeOf(headers: IncomingHttpHeaders): Mode {
  return headers[modeHeader] === 'test' ? 'test' : 'live';
}

/**
 * Refuses a change that a page of another origin has a browser send: it has the cookie, and cannot have the token. Browsers also say
 * where a request comes from (https://www.w3.org/TR/fetch-metadata/).
 */
export function forgeryError({ method, req: { headers } }: ApiContext, { session }: Caller): ApiError | null {
  if (session === null || harmless.includes(method)) {
    return null;
  }
  const isForeign = ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']));
  return !isForeign && isSameToken(String(headers[tokenHeader]), session.csrfToken) ? null : forged;
}

/** Refuses a mode that there is not. */
export const requireKnownMode: ApiMiddleware = async (context, next) => {
  const mode = context.req.headers[modeHeader];
  const isKnown = mode === undefined || modes.includes(mode);
  if (isKnown || (context.state.caller?.session ?? null) === null) {
    await next();
  } else {
    writeError(context, unknownMode);
  }
};

const forged = apiError(
  'csrf_invalid',
  'Send the csrfToken of the session in the header Postrider-CSRF, from a page of this origin.',
);
const unknownMode = apiError('parameter_invalid', 'Postrider-Mode must be live or test.', {
  param: 'Postrider-Mode',
});
