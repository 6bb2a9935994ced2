import type { RouteSteps } from '../../../api/routing.js';

const unused = () => Promise.reject(new Error('the routes of this test have no such step'));

/** The steps of routes that need no credentials, no body and no limits. */
export const unusedSteps: RouteSteps = {
  authentication: unused,
  rateLimit: unused,
  authorization: unused,
  unsentBytesLimit: (_context, next) => next(),
  jsonBody: () => unused,
  eventBodies: { single: unused, batch: unused },
  compression: unused,
  clientOf: () => ({
    trace: { network: '192.0.2.1', userAgent: null },
    cookies: undefined,
    sessionValue: null,
    lastEventId: null,
    isStillAuthorized: () => Promise.resolve(false),
  }),
  idempotency: { run: unused },
};
