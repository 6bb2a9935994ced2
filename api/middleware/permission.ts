import type { Scope } from '../../shared/domain/accounts/account.js';
import { mayRead } from '../../shared/domain/accounts/permissions.js';
import { writeError } from '../http/answer.js';
import type { Audience, Requirement, ApiMiddleware } from '../http/context.js';
import type { Caller } from '../http/caller.js';
import { clientTraceOf } from '../http/clientNetwork.js';
import { apiError, type ApiError } from '../http/apiError.js';
import type { AuditTrail } from '../auditTrail/auditTrail.js';
import { forgeryError } from './sessionRules.js';

/**
 * Lets a request through that its caller may make: it was sent by a page of ours where it comes with a session, the account is not
 * suspended, and the key or the role allows it.
 */
export function createPermission(auditTrail: Pick<AuditTrail, 'keyRejected'>): ApiMiddleware {
  return async (context, next) => {
    const { caller, route } = context.state;
    if (caller === null || route === null) {
      throw new Error('a permission was asked for before it was known who asks, and for what');
    }
    const refused = forgeryError(context, caller) ?? callerError(caller, route);
    if (refused === null) {
      await next();
    } else {
      if (caller.session === null) {
        auditTrail.keyRejected(caller, refused.refused, clientTraceOf(context));
      }
      writeError(context, refused);
    }
  };
}

/** Why a caller may not do this, or null. */
export function callerError(caller: Caller, { scope, audience }: Requirement): ApiError | null {
  const { isSuspended, scopes, plan, session } = caller;
  if (isSuspended) {
    return suspended;
  }
  if (session === null && scopes !== null && plan !== 'enterprise') {
    return planRequired;
  }
  return audience === undefined ? refusedScope(caller, scope) : refusedAudience(caller, audience);
}

/** @param scope what the route asks of a scoped key; null where it lets none in */
function refusedScope({ scopes, session }: Caller, scope: Scope | null): ApiError | null {
  if (scopes === null || (scope !== null && scopes.includes(scope))) {
    return null;
  }
  if (session !== null) {
    return roleTooLow;
  }
  return scope === null ? fullKeyRequired : insufficientScope(`This key has not the scope ${scope}.`, scope);
}

function refusedAudience({ scopes, session }: Caller, audience: Audience): ApiError | null {
  switch (audience) {
    case 'readers':
      return mayRead(scopes) ? null : readerRequired;
    case 'sessions':
      return session === null ? sessionRequired : null;
    case 'sessions of owners':
      if (session === null) {
        return sessionRequired;
      }
      return session.user.role === 'owner' ? null : roleTooLow;
    default: {
      const never: never = audience;
      return never;
    }
  }
}

/** RFC 6750 section 3.1: a token that is valid and may not do this is told so, and what it would need. */
export function insufficientScope(message: string, scope: Scope | null = null): ApiError {
  const needed = scope === null ? '' : `, scope="${scope}"`;
  return apiError('insufficient_scope', message, {
    headers: { 'WWW-Authenticate': `Bearer realm="postrider", error="insufficient_scope"${needed}` },
  });
}

const fullKeyRequired = insufficientScope('This takes a full key: a key with scopes cannot do it.');
const readerRequired = insufficientScope('This takes a full key, or one with a scope to read.');
const sessionRequired = insufficientScope('This takes a person: sign in to the dashboard.');
const roleTooLow = insufficientScope('Your role does not allow this: ask an owner of the account.');
export const suspended = apiError(
  'account_suspended',
  'This account is suspended: the API rejects its requests until it is resumed. Write to the operator of this service.',
);
export const planRequired = apiError(
  'plan_required',
  'Keys with scopes are for accounts on the plan Enterprise. Use a full key, or change the plan.',
);

const unsupported = apiError(
  'test_mode_unsupported',
  'Nothing is delivered in test mode: do this with a live key.',
);

/** Refuses test keys, for operations that deliver. */
export const requireLiveMode: ApiMiddleware = async (context, next) => {
  if (context.state.caller?.mode === 'test') {
    writeError(context, unsupported);
  } else {
    await next();
  }
};
