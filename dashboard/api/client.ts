import createFetchClient, { type Client } from 'openapi-fetch';

import type { Mode } from '../navigation/places.js';
import { fetchWithRetries } from './fetchWithRetries.js';
import { idempotentRequests } from './idempotentRequests.js';
import type { Paths } from './types.js';

/** The API client of one mode. The browser adds the session cookie to each request. */
export type Api = Client<Paths>;

export interface ApiTerms {
  readonly mode: Mode;
  /** The CSRF token of the session, or null before the sign-in. */
  readonly csrfToken: string | null;
  /** Called when an answer shows that the session has ended. */
  readonly onSignedOut: () => void;
}

const sessionEnded = 401;
/** Paths whose status 401 concerns the entered password or link, not the session. */
const signInPaths: ReadonlySet<string> = new Set(['/v1/session', '/v1/session/link']);

export function createApi({ mode, csrfToken, onSignedOut }: ApiTerms): Api {
  const client = createFetchClient<Paths>({ baseUrl: location.origin, fetch: fetchWithRetries });
  client.use(
    {
      onRequest: ({ request }) => {
        request.headers.set('Postrider-Mode', mode);
        if (csrfToken !== null && request.method !== 'GET') {
          request.headers.set('Postrider-CSRF', csrfToken);
        }
        return request;
      },
      onResponse: ({ response, schemaPath }) => {
        if (response.status === sessionEnded && !signInPaths.has(schemaPath)) {
          onSignedOut();
        }
      },
    },
    idempotentRequests(signInPaths),
  );
  return client;
}
