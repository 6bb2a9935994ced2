import type { IncomingHttpHeaders } from 'node:http';

import type { Clock } from '../../shared/core/clock.js';
import { isApiKeySecret, isExpired } from '../../shared/domain/accounts/apiKey.js';
import type { ClientTrace } from '../../shared/domain/core/fact.js';
import type { LastUsed } from '../../shared/store/coordination/lastUsed.js';
import { writeError } from '../http/answer.js';
import type { ApiKeyLookup, KeyCaller } from '../authentication/apiKeyLookup.js';
import type { Caller } from '../http/caller.js';
import { clientTraceOf } from '../http/clientNetwork.js';
import type { ApiMiddleware } from '../http/context.js';
import { isApiError, unauthenticated, type ApiError } from '../http/apiError.js';
import type { SessionLookup } from '../authentication/sessionLookup.js';
import type { SessionCookie } from '../authentication/sessionCookie.js';
import type { AuditTrail } from '../auditTrail/auditTrail.js';
import { modeOf } from './sessionRules.js';

/** RFC 9110 section 11.4: the scheme's name in any case, then spaces, then the credentials. */
const credentials = /^bearer(?: +(.*))?$/i;

export interface AuthenticationDependencies {
  readonly apiKeys: ApiKeyLookup;
  readonly sessions: SessionLookup;
  readonly cookie: Pick<SessionCookie, 'read'>;
  readonly lastUsed: Pick<LastUsed, 'note'>;
  readonly auditTrail: Pick<AuditTrail, 'keyUsed' | 'keyRejected'>;
  readonly clock: Clock;
}

/** What says whose a request is. */
export interface AuthenticatedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Read for the audit log, and for keys that were not found before. */
  readonly trace: () => ClientTrace;
}

/**
 * The caller of a request: the owner of its key, or without `Authorization` the owner of its session.
 * @param look whether this is a request, or only a check whether the same credentials would still be accepted
 */
export type Authenticate = (
  request: AuthenticatedRequest,
  look: 'use' | 'peek',
) => Promise<Caller | ApiError>;

export function createAuthenticate(dependencies: AuthenticationDependencies): Authenticate {
  const { apiKeys, sessions, cookie, lastUsed, auditTrail, clock } = dependencies;

  const noteUse = (caller: KeyCaller, trace: () => ClientTrace) => {
    lastUsed.note(caller.keyId);
    if (!caller.isUsed) {
      auditTrail.keyUsed(caller, trace());
    }
  };

  const byKey: Authenticate = async ({ headers, trace }, look) => {
    const secret = bearerToken(headers.authorization ?? '');
    if (secret === '') {
      return missingKey;
    }
    const rejected = (caller: Caller | null, refused: ApiError): ApiError => {
      if (look === 'use') {
        auditTrail.keyRejected(caller, refused.refused, trace());
      }
      return refused;
    };
    const caller = isApiKeySecret(secret) ? await apiKeys.find(secret, () => trace().network) : null;
    if (caller === null) {
      return rejected(null, invalidKey);
    }
    if (isApiError(caller)) {
      return caller;
    }
    if (isExpired(caller, clock())) {
      return rejected(caller, expiredKey);
    }
    if (look === 'use') {
      noteUse(caller, trace);
    }
    return caller;
  };

  return async (request, look) => {
    const { headers } = request;
    const value = headers.authorization === undefined ? cookie.read(headers.cookie) : null;
    return value === null
      ? byKey(request, look)
      : ((await sessions.find(value, modeOf(headers), look)) ?? sessionExpired);
  };
}

/** Lets a request through whose sender is known. */
export function createAuthentication(authenticate: Authenticate): ApiMiddleware {
  return async (context, next) => {
    const { headers } = context.req;
    const caller = await authenticate({ headers, trace: () => clientTraceOf(context) }, 'use');
    if (isApiError(caller)) {
      writeError(context, caller);
      return;
    }
    context.state.caller = caller;
    await next();
  };
}

/** What stands behind the scheme; nothing where there is none, or another scheme. */
function bearerToken(authorization: string): string {
  return credentials.exec(authorization)?.[1] ?? '';
}

/** RFC 6750 section 3: an error code only where a token came with the request. */
const invalidToken = ', error="invalid_token"';

const missingKey = unauthenticated(
  'api_key_missing',
  'Send an API key in the header "Authorization: Bearer <API_KEY>".',
);
const invalidKey = unauthenticated(
  'api_key_invalid',
  'This API key is not known. It may have been deleted.',
  invalidToken,
);
const expiredKey = unauthenticated(
  'api_key_expired',
  'This API key has expired. Use another one.',
  invalidToken,
);
const sessionExpired = unauthenticated('session_expired', 'This session has ended. Sign in again.');
