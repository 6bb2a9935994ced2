import type { Middleware } from 'openapi-fetch';

import { createIdempotencyKeys, randomKey } from './idempotencyKeys.js';

const serverFailure = 500;
const keyInUse = 'idempotency_key_in_use';

/**
 * Adds an `Idempotency-Key` to each POST request. Until the request is answered, a repeat with the same content has the
 * same key, so it has its effect once.
 * @param excluded paths whose content must not be remembered, such as a sign-in with a password
 */
export function idempotentRequests(excluded: ReadonlySet<string>): Middleware {
  const keys = createIdempotencyKeys(randomKey, Date.now);
  /** The content of each request that was sent with a key, by the id of the call. */
  const contents = new Map<string, string>();
  return {
    onRequest: async ({ request, id, schemaPath }) => {
      if (request.method === 'POST' && !excluded.has(schemaPath)) {
        const content = `${request.url}\n${await request.clone().text()}`;
        contents.set(id, content);
        request.headers.set('Idempotency-Key', keys.keyFor(content));
      }
      return request;
    },
    onResponse: async ({ response, id }) => {
      const content = contents.get(id);
      contents.delete(id);
      if (content !== undefined && (await isFinal(response))) {
        keys.settle(content);
      }
    },
    onError: ({ id }) => {
      contents.delete(id);
    },
  };
}

/** Whether a repeat of the request would be a new request. After a failed response, its effect is unknown. */
async function isFinal(response: Response): Promise<boolean> {
  return response.status < serverFailure && !(await response.clone().text()).includes(keyInUse);
}
