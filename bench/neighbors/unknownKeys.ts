import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { apiKeySecret, apiKeySecretBytes } from '../../shared/domain/accounts/apiKey.js';
import type { Disturbance } from './disturbance.js';

/** Sends requests with random API keys, all of the right form, so many a second. */
export function sendUnknownKeys(url: string, perSecond: number): Disturbance {
  const stopping = new AbortController();
  const { signal } = stopping;
  const requests = new Set<Promise<void>>();
  const send = async () => {
    const key = apiKeySecret('live', randomBytes(apiKeySecretBytes));
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal });
    await response.arrayBuffer();
  };
  const sending = (async () => {
    while (!signal.aborted) {
      const request = send()
        .catch(() => undefined)
        .finally(() => requests.delete(request));
      requests.add(request);
      await pause(1000 / perSecond);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await sending;
      await Promise.all(requests);
    },
  };
}
