import type { Scope } from '../../shared/domain/accounts/account.js';
import { mayRead } from '../../shared/domain/accounts/permissions.js';
import type { Mode } from '../../shared/domain/core/fact.js';
import type { AuditTrail } from '../auditTrail/auditTrail.js';
import { isSameToken } from '../authentication/sessionCookie.js';
import { apiError, type ApiError } from '../http/apiError.js';
import { clientTraceOf } from './clientNetwork.js';
import type { AccessRequirement, ApiContext, ApiMiddleware, Audience, Caller } from '../http/context.js';
import { writeError } from '../http/response.js';
import { modeHeader } from './authentication.js';

const tokenHeader = 'postrider-csrf';
const modes: readonly unknown[] = ['live', 'test'] satisfies readonly Mode[];
const safeMethods: readonly string[] = ['GET', 'HEAD'];

/**
 * Checks that the caller may make the request:
 * - The dashboard's page has sent a change with a session.
 * - The account is not suspended.
 * - The key or the role has the required scope.
 */
export function createAuthorization(auditTrail: Pick<AuditTrail, 'keyRejected'>): ApiMiddleware {
  return async (context, next) => {
    const { caller, route } = context.state;
    if (caller === null || route === null) {
      throw new Error('authorization requires a caller and a route');
    }
    const error = csrfError(context, caller) ?? authorizationError(caller, route);
    if (error === null) {
      await next();
    } else {
      if (caller.session === null) {
        auditTrail.keyRejected(caller, error.errorCode, clientTraceOf(context));
      }
      writeError(context, error);
    }
  };
}

/** The reason to reject a caller, or null if the caller is permitted. */
export function authorizationError(caller: Caller, requirement: AccessRequirement): ApiError | null {
  if (caller.isSuspended) {
    return suspended;
  }
  const error = caller.tenant === null ? accountError(caller, requirement) : tenantError(caller, requirement);
  const { otherScope } = requirement;
  return error === null && otherScope !== undefined ? scopeError(caller, otherScope) : error;
}

/** The error of a tenant caller. It sees what tenants share, and with the scope of a route, the tenant's own resources. */
function tenantError(caller: Caller, { tenants, scope }: AccessRequirement): ApiError | null {
  switch (tenants) {
    case 'shared':
      return null;
    case 'own':
      return scopeError(caller, scope);
    case 'posting':
      return caller.tenant?.credential === 'api-key' ? scopeError(caller, scope) : postingForbidden;
    case 'forbidden':
    case 'public':
      return tenantForbidden;
  }
}

function accountError(caller: Caller, { scope, audience }: AccessRequirement): ApiError | null {
  const { scopes, plan, session } = caller;
  if (session === null && scopes !== null && plan !== 'enterprise') {
    return planRequired;
  }
  return audience === undefined ? scopeError(caller, scope) : audienceError(caller, audience);
}

/** @param scope the scope that a scoped key needs, or null if no scoped key is allowed */
function scopeError({ scopes, session, tenant }: Caller, scope: Scope | null): ApiError | null {
  if (scopes === null || (scope !== null && scopes.includes(scope))) {
    return null;
  }
  if (session !== null) {
    return roleTooLow;
  }
  const credential = tenant?.credential === 'portal' ? 'portal session' : 'API key';
  return scope === null
    ? fullKeyRequired
    : insufficientScope(
        `The ${credential} does not have the scope ${scope}. Use one with this scope.`,
        scope,
      );
}

function audienceError({ scopes, session }: Caller, audience: Audience): ApiError | null {
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
    case 'tenants':
      return tenantRequired;
    default: {
      const never: never = audience;
      return never;
    }
  }
}

/**
 * The error for a valid token without permission. The response names the scope that the request needs (RFC 6750 section
 * 3.1).
 */
export function insufficientScope(message: string, scope: Scope | null = null): ApiError {
  const needed = scope === null ? '' : `, scope="${scope}"`;
  return apiError('insufficient_scope', message, {
    headers: { 'WWW-Authenticate': `Bearer realm="postrider", error="insufficient_scope"${needed}` },
  });
}

const fullKeyRequired = insufficientScope(
  'This operation requires a full API key. Keys with scopes cannot call it.',
);
const readerRequired = insufficientScope(
  'This operation requires a full API key or a key with a read scope.',
);
const sessionRequired = insufficientScope(
  'This operation requires a session of the dashboard. Sign in to the dashboard.',
);
const tenantRequired = insufficientScope(
  'This operation requires a portal token, or an API key of a tenant.',
);
const tenantForbidden = insufficientScope(
  'A portal session and an API key of a tenant cannot call this operation. Use an API key of the account.',
);
const postingForbidden = insufficientScope(
  'A portal session cannot post events. Use an API key of the tenant, or an API key of the account.',
);
const roleTooLow = insufficientScope(
  'Your role does not permit this operation. Ask an owner of the account for another role.',
);
export const suspended = apiError(
  'account_suspended',
  'The account is suspended, and the API rejects its requests. Contact the operator of this service.',
);
export const planRequired = apiError(
  'plan_required',
  'API keys with scopes require the plan Enterprise. Use a full key, or ask the operator of this service to change the ' +
    'plan with `postrider account set-plan`.',
);

/**
 * The error for a change that a page of another origin causes. A browser sends the session cookie with the request, but
 * the foreign page cannot know the CSRF token.
 */
function csrfError(context: ApiContext, { session }: Caller): ApiError | null {
  if (session === null || safeMethods.includes(context.method)) {
    return null;
  }
  const token = String(context.req.headers[tokenHeader]);
  return !isOfForeignPage(context) && isSameToken(token, session.csrfToken) ? null : csrfInvalid;
}

/** Whether a browser states that a page of another origin has caused the request (https://www.w3.org/TR/fetch-metadata/). */
export function isOfForeignPage({ req: { headers } }: ApiContext): boolean {
  return ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']));
}

const csrfInvalid = apiError(
  'csrf_invalid',
  'Send the csrfToken of the session in the header Postrider-CSRF, from a page of this origin.',
);

/** Rejects a request with a session and an unknown mode. */
export const requireKnownMode: ApiMiddleware = async (context, next) => {
  const mode = context.req.headers[modeHeader];
  const isKnown = mode === undefined || modes.includes(mode);
  if (isKnown || (context.state.caller?.session ?? null) === null) {
    await next();
  } else {
    writeError(context, unknownMode);
  }
};

const unknownMode = apiError('parameter_invalid', 'Postrider-Mode must be live or test.', {
  param: 'Postrider-Mode',
});

/** Rejects test keys for operations that deliver events. */
export const requireLiveMode: ApiMiddleware = async (context, next) => {
  if (context.state.caller?.mode === 'test') {
    writeError(context, testModeUnsupported);
  } else {
    await next();
  }
};

const testModeUnsupported = apiError(
  'test_mode_unsupported',
  'The service delivers no events in test mode. Use a live key.',
);
