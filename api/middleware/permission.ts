import type { Scope } from '../../shared/domain/account.js';
import { writeRefusal } from '../answer.js';
import type { Caller } from '../apiKeys.js';
import type { ApiMiddleware } from '../context.js';
import { refusal, type Refusal } from '../refusal.js';

/** Lets a request through that its caller may make: the account is not suspended, and the key has the route's scope. */
export function createPermission(): ApiMiddleware {
  return async (context, next) => {
    const { caller, route } = context.state;
    if (caller === null || route === null) {
      throw new Error('a permission was asked for before it was known who asks, and for what');
    }
    const refused = refusedCaller(caller, route.scope);
    if (refused === null) {
      await next();
    } else {
      writeRefusal(context, refused);
    }
  };
}

/** @param scope what the route asks of a scoped key; null where it lets none in */
function refusedCaller({ isSuspended, scopes, plan }: Caller, scope: Scope | null): Refusal | null {
  if (isSuspended) {
    return suspended;
  }
  if (scopes === null) {
    return null;
  }
  if (plan !== 'enterprise') {
    return planRequired;
  }
  if (scope === null) {
    return fullKeyRequired;
  }
  return scopes.includes(scope) ? null : insufficientScope(`This key has not the scope ${scope}.`, scope);
}

/** RFC 6750 section 3.1: a token that is valid and may not do this is told so, and what it would need. */
export function insufficientScope(message: string, scope: Scope | null = null): Refusal {
  const needed = scope === null ? '' : `, scope="${scope}"`;
  return refusal('insufficient_scope', message, {
    headers: { 'WWW-Authenticate': `Bearer realm="postrider", error="insufficient_scope"${needed}` },
  });
}

const fullKeyRequired = insufficientScope('This takes a full key: a key with scopes cannot do it.');
const suspended = insufficientScope(
  'This account is suspended: its keys can do nothing until it is resumed. Write to the operator of this service.',
);
export const planRequired = refusal(
  'plan_required',
  'Keys with scopes are for accounts on the plan Enterprise. Use a full key, or change the plan.',
);
