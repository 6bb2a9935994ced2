import type { z } from 'zod';

import type { Clock } from '../../../shared/core/clock.js';
import { hashOfSecret } from '../../../shared/domain/accounts/apiKey.js';
import type { Identifiers } from '../../../shared/domain/core/identifiers.js';
import { freshIdentity } from '../../../shared/domain/core/requestIdentity.js';
import type { Passwords } from '../../../shared/security/passwords.js';
import type { LastUsed } from '../../../shared/store/coordination/lastUsed.js';
import type { Sessions } from '../../../shared/store/redis/sessions.js';
import type { SignInThrottle } from '../../../shared/store/redis/signInThrottle.js';
import type { AuditTrail, SignInMethod } from '../../auditTrail/auditTrail.js';
import type { Member } from '../../authentication/credentials.js';
import type { DeviceCookie } from '../../authentication/deviceCookie.js';
import { csrfTokenOf, sessionValueBytes, type SessionCookie } from '../../authentication/sessionCookie.js';
import { apiError, unauthenticated, type ApiError } from '../../http/apiError.js';
import { jsonResponse, type HandlerResult } from '../../http/response.js';
import type { RequestClient } from '../../http/route.js';
import { suspended } from '../../middleware/authorization.js';
import type { LinkRedemptions } from './redeemLink.js';
import type { redeemLinkBody, SessionHandlers } from './routes.js';
import { forgiveOnError, type SignInOutcome, type SignInRequest } from './signIn.js';

export interface SessionHandlerDependencies {
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly deviceCookie: Pick<DeviceCookie, 'give'>;
  readonly throttle: SignInThrottle;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly signIn: (request: SignInRequest) => Promise<SignInOutcome>;
  readonly linkRedemptions: LinkRedemptions;
  readonly auditTrail: AuditTrail;
  readonly lastUsed: Pick<LastUsed, 'note'>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly randomBytes: (count: number) => Buffer;
}

export function createSessionHandlers(dependencies: SessionHandlerDependencies): SessionHandlers {
  const { sessions, cookie, deviceCookie, throttle, passwords, signIn, linkRedemptions, auditTrail, clock } =
    dependencies;

  /**
   * Starts a session. The previous session of the browser ends, because an attacker may have set the cookie of that
   * session.
   */
  const begin = async (
    member: Member,
    client: RequestClient,
    method: SignInMethod,
  ): Promise<HandlerResult> => {
    const { account, user } = member;
    const { sessionValue } = client;
    const value = dependencies.randomBytes(sessionValueBytes).toString('base64url');
    if (sessionValue !== null) {
      await sessions.end(hashOfSecret(sessionValue));
    }
    await sessions.begin(hashOfSecret(value), {
      accountId: account._id,
      userId: user.id,
      passwordId: user.password?.id ?? '',
      suspensions: account.suspensions,
      created: clock(),
    });
    dependencies.lastUsed.note(user.id);
    await auditTrail.signedIn(member, method, client.trace);
    return {
      ...jsonResponse(sessionRepresentation({ account, user }, value)),
      cookies: [cookie.give(value), deviceCookie.give(user)],
    };
  };

  const rejectSuspended = (member: Member, client: RequestClient, method: SignInMethod): ApiError | null => {
    if (!member.account.isSuspended) {
      return null;
    }
    auditTrail.signInFailed([member], { method, reason: 'account_suspended' }, client.trace);
    return suspended;
  };

  const redeemLink = async (
    body: z.output<typeof redeemLinkBody>,
    client: RequestClient,
  ): Promise<HandlerResult | null> => {
    const found = await linkRedemptions.find(body.token, clock());
    if (found === null) {
      return null;
    }
    const error = rejectSuspended(found, client, 'link');
    if (error !== null) {
      return error;
    }
    const sibling = await linkRedemptions.siblingHash(found.user);
    const passwordHash = await passwords.hash(body.password, client.trace.network, sibling);
    const identity = freshIdentity(clock(), dependencies.identifiers, dependencies.randomBytes);
    const member = await linkRedemptions.use(found.account._id, { ...body, passwordHash }, identity);
    return member === null ? null : begin(member, client, 'link');
  };

  return {
    signIn: async ({ body, client }) => {
      await sessions.checkReachable();
      const { trace, cookies } = client;
      const outcome = await signIn({ credentials: body, network: trace.network, cookies });
      switch (outcome.kind) {
        case 'limited':
          auditTrail.signInLimited('password', trace);
          return tooManyFailures(outcome.waitSeconds);
        case 'failed':
          auditTrail.signInFailed(outcome.members, { method: 'password', reason: 'wrong_password' }, trace);
          return wrongCredentials;
        case 'member':
          return (
            rejectSuspended(outcome.member, client, 'password') ?? begin(outcome.member, client, 'password')
          );
        default: {
          const never: never = outcome;
          return never;
        }
      }
    },

    signInByLink: async ({ body, client }) => {
      await sessions.checkReachable();
      const admission = await throttle.admit({ network: client.trace.network, email: null });
      if (!admission.admitted) {
        auditTrail.signInLimited('link', client.trace);
        return tooManyFailures(admission.waitSeconds);
      }
      const reply = await forgiveOnError(admission, () => redeemLink(body, client));
      if (reply === null) {
        auditTrail.signInFailed([], { method: 'link', reason: 'unknown_link' }, client.trace);
        return wrongLink;
      }
      await admission.forgive();
      return reply;
    },

    signOut: async ({ caller, client }) => {
      await sessions.end(caller.session?.id ?? '');
      await auditTrail.signedOut(caller, client.trace);
      return { ...jsonResponse({ deleted: true }), cookies: [cookie.take()] };
    },
  };
}

function sessionRepresentation({ account, user }: Member, value: string) {
  const { id, name, email, role } = user;
  return {
    user: { id, name, email, role },
    account: { id: account._id, name: account.name, plan: account.plan },
    csrfToken: csrfTokenOf(value),
  };
}

function tooManyFailures(waitSeconds: number): ApiError {
  return apiError(
    'rate_limit_exceeded',
    'Too many sign-ins have failed. Wait for the seconds in Retry-After, then try again.',
    { headers: { 'Retry-After': String(waitSeconds) } },
  );
}

const wrongCredentials = unauthenticated(
  'credentials_invalid',
  'The email address or the password is wrong.',
);
const wrongLink = unauthenticated(
  'link_invalid',
  'The sign-in link is unknown, used or expired. If you have set a password, sign in with it. Otherwise, ask an owner of ' +
    'the account for a new link.',
);
