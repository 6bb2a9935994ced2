import createFetchClient from 'openapi-fetch';

import type { Api } from '../../dashboard/api/client.js';
import { fetchWithRetries } from '../../dashboard/api/fetchWithRetries.js';
import { idempotentRequests } from '../../dashboard/api/idempotentRequests.js';
import type { Paths } from '../../dashboard/api/types.js';

/** An API client that stays the same when the token changes, so a new token reloads no view and no form. */
export interface RenewableApi {
  readonly api: Api;
  /** Uses another token from now on. */
  readonly renew: (token: string) => void;
}

/** The status of a response to a token that is unknown or whose session has ended. */
export const unauthorized = 401;

const renewal = 'renewal';

/**
 * The API client of the views. If the session has ended, a GET request waits for the next token. Other requests fail,
 * because the user decides about repeating them.
 * @param onEnded called with each token that the service has rejected
 */
export function createRenewableApi(first: string, onEnded: (token: string) => void): RenewableApi {
  const renewals = new EventTarget();
  let current = first;

  const send = async (request: Request): Promise<Response> => {
    const token = current;
    request.headers.set('Authorization', `Bearer ${token}`);
    const response = await fetchWithRetries(request);
    if (response.status !== unauthorized) {
      return response;
    }
    onEnded(token);
    if (request.method !== 'GET') {
      return Response.json({ error: { code: 'portal_session_expired' } }, { status: unauthorized });
    }
    if (token === current) {
      await renewalOrAbort(renewals, request.signal);
    }
    return send(request);
  };

  const api = createFetchClient<Paths>({ baseUrl: location.origin, fetch: send, credentials: 'omit' });
  api.use(idempotentRequests(new Set()));
  return {
    api,
    renew: (token) => {
      current = token;
      renewals.dispatchEvent(new Event(renewal));
    },
  };
}

function renewalOrAbort(renewals: EventTarget, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      resolve();
    };
    renewals.addEventListener(renewal, end, { once: true, signal });
    signal.addEventListener('abort', end, { once: true });
  });
}

/** An API client with one token. */
export function createApiWith(token: string): Api {
  return createFetchClient<Paths>({
    baseUrl: location.origin,
    fetch: fetchWithRetries,
    headers: { Authorization: `Bearer ${token}` },
    credentials: 'omit',
  });
}
