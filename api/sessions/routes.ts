import { keyRoute, noBody, noQuery, openPost, type Route } from '../route.js';
import { sessionExample, signInExample, useLinkExample } from './examples.js';
import type { SessionHandlers } from './handlers.js';
import { sessionSchema, signedOutSchema, signInBody, useLinkBody } from './schemas.js';

const tag = 'Sign-in';

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
      'Begins a session of the dashboard, whose cookie the answer sets. Ten failures in 15 minutes, of one e-mail address or of one ' +
      'network, and further ones are a 429. An `Idempotency-Key` has no meaning here: each sign-in is a session of its own.',
    body: signInBody,
    successStatus: 201,
    successHeaders: ['Set-Cookie'],
    response: sessionSchema,
    errors: ['credentials_invalid', 'insufficient_scope', 'rate_limit_exceeded', 'service_unavailable'],
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
    successStatus: 201,
    successHeaders: ['Set-Cookie'],
    response: sessionSchema,
    errors: ['link_invalid', 'insufficient_scope', 'rate_limit_exceeded', 'service_unavailable'],
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
