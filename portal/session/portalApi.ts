import createFetchClient from 'openapi-fetch';

import { answerOf } from '../../dashboard/api/answer.js';
import type { Api } from '../../dashboard/api/client.js';
import { fetchWithRetries } from '../../dashboard/api/fetchWithRetries.js';
import { idempotentRequests } from '../../dashboard/api/idempotentRequests.js';
import type { Paths, PortalSession } from '../../dashboard/api/types.js';

const unauthorized = 401;

/**
 * An API client with the token of a portal session.
 * @param onUnauthorized called when a response shows that the session has ended
 */
export function createPortalApi(token: string, onUnauthorized: () => void): Api {
  const client = createFetchClient<Paths>({
    baseUrl: location.origin,
    fetch: fetchWithRetries,
    headers: { Authorization: `Bearer ${token}` },
    credentials: 'omit',
  });
  client.use(idempotentRequests(new Set()), {
    onResponse: ({ response }) => {
      if (response.status === unauthorized) {
        onUnauthorized();
      }
    },
  });
  return client;
}

/** The session of the client's token. @throws RequestFailure with the status 401 if the session has ended */
export function readSession(api: Api): Promise<PortalSession> {
  return answerOf(api.GET('/v1/portal-session', {}));
}
