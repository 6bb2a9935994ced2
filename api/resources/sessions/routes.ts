import { z } from 'zod';

import { emailForm, roles } from '../../../shared/domain/accounts/user.js';
import {
  authenticatedRoute,
  noBody,
  noQuery,
  publicPostRoute,
  type AuthenticatedHandler,
  type PublicHandler,
  type Route,
} from '../../http/route.js';
import { textSchema } from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';

export interface SessionHandlers {
  readonly signIn: PublicHandler<typeof signInBody>;
  readonly signInByLink: PublicHandler<typeof redeemLinkBody>;
  readonly signOut: AuthenticatedHandler<typeof noBody, typeof noQuery>;
}

const tag = 'Sign-in';

/**
 * The size limit of the body of a public operation. The body's fields have at most 600 characters, of up to 6 bytes
 * each in JSON.
 */
const maximumBodyBytes = 4096;

export function sessionRoutes(sessions: SessionHandlers): readonly Route[] {
  return [signIn(sessions), signInByLink(sessions), signOut(sessions)];
}

function signIn(sessions: SessionHandlers): Route {
  return publicPostRoute({
    path: '/v1/session',
    operationId: 'createSession',
    tag,
    summary: 'Sign in',
    description:
      'Starts a session of the dashboard. The response sets the session cookie and a device ' +
      'cookie. The API counts failed sign-ins for 15 minutes. Further sign-ins get a 429 after ' +
      '50 failures from a network. The limits for an email address are 10 failures from a ' +
      'network, and 100 failures in total. A browser with the device cookie of a user has a ' +
      'separate limit of 10 failures. Each sign-in starts a new session, so an ' +
      '`Idempotency-Key` has no effect.',
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
  return publicPostRoute({
    path: '/v1/session/link',
    operationId: 'useSignInLink',
    tag,
    summary: 'Set a password with a sign-in link',
    description:
      'Redeems a one-time sign-in link. The request sets the password, ends the other sessions ' +
      'of the user, and signs the user in. An invitation is valid for 7 days, and any other ' +
      'sign-in link for 24 hours.',
    body: redeemLinkBody,
    maximumBodyBytes,
    successStatus: 201,
    successHeaders: ['Set-Cookie'],
    response: sessionSchema,
    errors: ['link_invalid', 'account_suspended', 'rate_limit_exceeded', 'service_unavailable'],
    examples: { body: redeemLinkExample, response: sessionExample },
    handle: sessions.signInByLink,
  });
}

function signOut(sessions: SessionHandlers): Route {
  return authenticatedRoute({
    method: 'DELETE',
    path: '/v1/session',
    operationId: 'deleteSession',
    tag,
    summary: 'Sign out',
    description:
      'Ends the session of the request immediately on every process, and removes the session cookie.',
    scope: null,
    tenants: 'forbidden',
    names: null,
    audience: 'sessions',
    body: noBody,
    query: noQuery,
    successHeaders: ['Set-Cookie'],
    response: signedOutSchema,
    errors: [],
    examples: { response: { deleted: true } },
    handle: sessions.signOut,
  });
}

/** The examples in the OpenAPI document. A test checks each example against its schema. */

export const sessionUserExample = {
  id: 'usr_01M7YDPTQM04NT3X3AX52TZD0R',
  name: 'Ada',
  email: 'ada@example.com',
  role: 'owner',
};

export const csrfTokenExample = 'Uw0mNqgTgE1V7m8l0y7vRzv6mJx0cQzF3kqYJ4yq2bA';

const sessionExample = {
  user: sessionUserExample,
  account: { id: 'acct_01M7YDPTQM04NT3X3AX52TZD0R', name: 'Shop', plan: 'pro' },
  csrfToken: csrfTokenExample,
};

const signInExample = { email: sessionUserExample.email, password: 'correct horse battery staple' };

const redeemLinkExample = {
  token: 'gIcb-9k2wT15t4UL4KpIHOOeqs6ta56AvpMBJ0nnobw',
  password: signInExample.password,
  name: sessionUserExample.name,
};

const shortestPassword = 12;
const longestPassword = 200;
const longestEmail = 254;
const longestName = 100;
/** The length of 32 bytes in base64url. */
const tokenLength = 43;

export const emailSchema = z
  .string()
  .max(longestEmail, mustBe(`at most ${String(longestEmail)} characters long`))
  .regex(emailForm, mustBe('an email address'));

export const personNameSchema = textSchema(longestName).regex(/\S/, mustBe('a name'));

/** The schema of a password for sign-in. A text outside the length limits of passwords cannot be a password. */
const givenPassword = z
  .string()
  .min(1, mustBe('a password'))
  .max(longestPassword, mustBe(`at most ${String(longestPassword)} characters long`));

const newPassword = z
  .string()
  .min(shortestPassword, mustBe(`at least ${String(shortestPassword)} characters long`))
  .max(longestPassword, mustBe(`at most ${String(longestPassword)} characters long`));

export const signInBody = z
  .strictObject({
    email: emailSchema,
    password: givenPassword,
    accountId: z
      .string()
      .optional()
      .meta({
        description:
          'The account to sign in to, for a user with the same password in several accounts. The ' +
          'default is the oldest account.',
      }),
  })
  .meta({ id: 'CreateSessionRequest' });

export const redeemLinkBody = z
  .strictObject({
    token: z
      .string()
      .max(tokenLength, mustBe('a token'))
      .meta({ description: 'The value after `#token=` in the URL of the sign-in link.' }),
    password: newPassword,
    name: personNameSchema.optional(),
  })
  .meta({ id: 'UseSignInLinkRequest' });

export const roleSchema = z.enum(roles, mustBe(`one of ${roles.join(', ')}`)).meta({ id: 'UserRole' });

export const planSchema = z.enum(['free', 'pro', 'enterprise']).meta({ id: 'Plan' });

export const sessionUserSchema = z
  .object({ id: z.string(), name: z.string().nullable(), email: z.string(), role: roleSchema })
  .meta({ id: 'SessionUser' });

export const sessionSchema = z
  .object({
    user: sessionUserSchema,
    account: z
      .object({
        id: z.string(),
        name: z.string(),
        plan: planSchema,
      })
      .meta({ id: 'SessionAccount' }),
    csrfToken: z
      .string()
      .meta({ description: 'The value of the header `Postrider-CSRF` for each request that changes data.' }),
  })
  .meta({ id: 'Session' });

const signedOutSchema = z.object({ deleted: z.literal(true) }).meta({ id: 'DeletedSession' });
