import type { IncomingHttpHeaders } from 'node:http';

import type { Clock } from '../../shared/core/clock.js';
import { isApiKeySecret, isExpired } from '../../shared/domain/accounts/apiKey.js';
import { isPortalToken } from '../../shared/domain/accounts/portalSettings.js';
import type { ClientTrace, Mode } from '../../shared/domain/core/fact.js';
import type { LastUsed } from '../../shared/store/coordination/lastUsed.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import type { Sessions } from '../../shared/store/redis/sessions.js';
import type { AuditTrail } from '../auditTrail/auditTrail.js';
import { createApiKeyLookup, createFailedKeyLimit, type KeyCaller } from '../authentication/apiKeyLookup.js';
import {
  createPortalSessionLookup,
  type PortalSessionLookup,
  type PortalSessionLookupDependencies,
} from '../authentication/portalSessionLookup.js';
import { createSessionCookie, type SessionCookie } from '../authentication/sessionCookie.js';
import { createSessionLookup } from '../authentication/sessionLookup.js';
import { isApiError, unauthenticated, type ApiError } from '../http/apiError.js';
import type { ApiMiddleware, Caller } from '../http/context.js';
import { writeError } from '../http/response.js';
import { clientTraceOf } from './clientNetwork.js';

/**
 * The form of `Authorization` in RFC 9110 section 11.4: the name of the scheme in any case, then spaces, then the
 * credentials.
 */
const credentials = /^bearer(?: +(.*))?$/i;

/** The header with the mode of a request that has a session. */
export const modeHeader = 'postrider-mode';

export interface AuthenticatorDependencies extends Pick<
  PortalSessionLookupDependencies,
  'portalSessions' | 'tenants'
> {
  readonly accounts: ReadModels['accounts'];
  readonly tenantApiKeys: ReadModels['tenantApiKeys'];
  readonly sessions: Sessions;
  readonly lastUsed: Pick<LastUsed, 'note'>;
  readonly auditTrail: Pick<AuditTrail, 'keyUsed' | 'keyRejected'>;
  readonly clock: Clock;
  /** The URL under which users reach the service. */
  readonly publicUrl: string;
}

export interface RequestCredentials {
  readonly headers: IncomingHttpHeaders;
  /** Returns the client's network and browser, for the audit log and the lookup of unknown keys. */
  readonly trace: () => ClientTrace;
}

/**
 * Identifies the caller of a request: the owner of its API key, or without `Authorization` the owner of its session.
 * @param look `peek` only checks whether the same credentials are still valid
 */
export type Authenticate = (request: RequestCredentials, look: 'use' | 'peek') => Promise<Caller | ApiError>;

export interface Authenticator {
  readonly authenticate: Authenticate;
  readonly cookie: SessionCookie;
}

export function createAuthenticator(dependencies: AuthenticatorDependencies): Authenticator {
  const { lastUsed, auditTrail, clock } = dependencies;
  const elapsedMs = () => performance.now();
  const cookie = createSessionCookie(dependencies.publicUrl.startsWith('https:'));
  const apiKeys = createApiKeyLookup({
    ...dependencies,
    failedKeyLimit: createFailedKeyLimit(elapsedMs),
    elapsedMs,
  });
  const sessions = createSessionLookup({ ...dependencies, elapsedMs });
  const portal = createPortalSessionLookup({ ...dependencies, elapsedMs });

  const recordUse = (caller: KeyCaller, trace: () => ClientTrace) => {
    lastUsed.note(caller.keyId);
    if (!caller.isUsed) {
      auditTrail.keyUsed(caller, trace());
    }
  };

  const authenticateKey = async (
    secret: string,
    trace: RequestCredentials['trace'],
    look: 'use' | 'peek',
  ): Promise<Caller | ApiError> => {
    const reject = (caller: Caller | null, error: ApiError): ApiError => {
      if (look === 'use') {
        auditTrail.keyRejected(caller, error.errorCode, trace());
      }
      return error;
    };
    const caller = isApiKeySecret(secret) ? await apiKeys.find(secret, () => trace().network) : null;
    if (caller === null) {
      return reject(null, invalidKey);
    }
    if (isApiError(caller)) {
      return caller;
    }
    if (isExpired(caller, clock())) {
      return reject(caller, expiredKey);
    }
    if (look === 'use') {
      recordUse(caller, trace);
    }
    return caller;
  };

  const authenticateToken: Authenticate = async ({ headers, trace }, look) => {
    const secret = bearerToken(headers.authorization ?? '');
    if (secret === '') {
      return missingKey;
    }
    if (!isPortalToken(secret)) {
      return authenticateKey(secret, trace, look);
    }
    const caller = await portalCallerOf(portal, secret);
    if (isApiError(caller) && look === 'use') {
      auditTrail.keyRejected(null, caller.errorCode, trace());
    }
    return caller;
  };

  return {
    cookie,
    authenticate: async (request, look) => {
      const { headers } = request;
      const value = headers.authorization === undefined ? cookie.read(headers.cookie) : null;
      return value === null
        ? authenticateToken(request, look)
        : ((await sessions.find(value, modeOf(headers), look)) ?? sessionExpired);
    },
  };
}

async function portalCallerOf(portal: PortalSessionLookup, token: string): Promise<Caller | ApiError> {
  const caller = await portal.find(token);
  if (caller === null) {
    return invalidKey;
  }
  return caller === 'ended' ? portalSessionExpired : caller;
}

/** Sets the caller of a request, or responds with an error. */
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

/**
 * The credentials of the header `Authorization`, or an empty text if the scheme is not `Bearer` or the header is
 * missing.
 */
export function bearerToken(authorization: string): string {
  return credentials.exec(authorization)?.[1] ?? '';
}

/**
 * The mode of a request with a session. An unknown mode counts as live until `requireKnownMode` rejects the request.
 */
function modeOf(headers: IncomingHttpHeaders): Mode {
  return headers[modeHeader] === 'test' ? 'test' : 'live';
}

/** The error code for a rejected token. A request without a token gets no error code (RFC 6750 section 3). */
const invalidToken = ', error="invalid_token"';

const missingKey = unauthenticated(
  'api_key_missing',
  'The request has no API key. Send the header "Authorization: Bearer <API_KEY>".',
);
const invalidKey = unauthenticated(
  'api_key_invalid',
  'The API key is unknown. Check the key for typing errors. If the key was deleted, create a new key.',
  invalidToken,
);
const expiredKey = unauthenticated(
  'api_key_expired',
  'The API key has expired. Create a new key.',
  invalidToken,
);
const sessionExpired = unauthenticated('session_expired', 'The session has ended. Sign in again.');
const portalSessionExpired = unauthenticated(
  'portal_session_expired',
  'The portal session has ended. Open a new portal session for the tenant.',
  invalidToken,
);
