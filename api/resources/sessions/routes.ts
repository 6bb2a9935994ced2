import { keyRoute, noBody, noQuery, openPost, type Route } from '../../http/route.js';
import { sessionExample, signInExample, useLinkExample } from './examples.js';
import type { SessionHandlers } from './handlers.js';
import { sessionSchema, signedOutSchema, signInBody, useLinkBody } from './schemas.js';

const tag = 'Sign-in';

/** Anyone may send these bodies. The fields of each have at most 600 characters, which JSON writes with up to 6 bytes each. */
const maximumBodyBytes = 4096;

export function sessionRoutes(sessions: SessionHandlers): readonly Route[] {
  return [signIn(sessions), signInByLink(sessions), signOut(sessions)];
}

function signIn(sessions: SessionHandlers): Route {
  return openPost({
    path: '/v1/session',
    operationId: 'createSession',
    tag,
    summary: 'Sign in',
    description:
      'Starts a session of the dashboard. The response sets the session cookie and a device cookie. Failures are counted for 15 ' +
      'minutes: after 50 from a network, 10 for an email address from a network, or 100 for an email address, further attempts get a ' +
      '429. A browser with the device cookie of a user has 10 failures of its own, which other clients do not use. Each sign-in is a ' +
      'new session, so an `Idempotency-Key` has no effect.',
    body: signInBody,
    maximumBodyBytes,
    successStatus: 201,
    successHeaders: ['Set-Cookie'],
    response: sessionSchema,
    errors: ['credentials_invalid', 'account_suspended', 'rate_limit_exceeded', 'service_unavailable'],
    examples: { body: signInExample, response: sessionExample },
    handle: sessions.signIn,
  });
}

function signInByLink(sessions: SessionHandlers): Route {
  return openPost({
    path: '/v1/session/link',
    operationId: 'useSignInLink',
    tag,
    summary: 'Set a password with a sign-in link',
    description:
      'Uses a one-time link up: it sets the password, ends the other sessions of the person, and signs in. An invitation holds for 7 ' +
      'days, any other link for 24 hours.',
    body: useLinkBody,
    maximumBodyBytes,
    successStatus: 201,
    successHeaders: ['Set-Cookie'],
    response: sessionSchema,
    errors: ['link_invalid', 'account_suspended', 'rate_limit_exceeded', 'service_unavailable'],
    examples: { body: useLinkExample, response: sessionExample },
    handle: sessions.signInByLink,
  });
}

function signOut(sessions: SessionHandlers): Route {
  return keyRoute({
    method: 'DELETE',
    path: '/v1/session',
    operationId: 'deleteSession',
    tag,
    summary: 'Sign out',
    description: 'Ends the session, at once and on every process, and takes its cookie away.',
    scope: null,
    audience: 'sessions',
    body: noBody,
    query: noQuery,
    successStatus: 200,
    successHeaders: ['Set-Cookie'],
    response: signedOutSchema,
    errors: [],
    examples: { response: { deleted: true } },
    handle: sessions.signOut,
  });
}
