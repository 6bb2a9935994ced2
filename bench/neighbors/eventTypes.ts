import type { NeighborAccount } from './neighborAccount.js';
import type { Disturbance } from './disturbance.js';

/** Sends requests of an account to the API at a constant rate, one after the other of a list. */
export interface RequestList {
  readonly account: NeighborAccount;
  readonly perSecond: number;
  readonly requests: readonly ApiRequest[];
}

interface ApiRequest {
  readonly method: 'PUT' | 'POST';
  readonly url: URL;
  readonly body: string;
}

/** A PUT of an event type whose events are rejected if they do not match the schema. */
export function putEventType(eventsUrl: string, name: string, schema: unknown): ApiRequest {
  return {
    method: 'PUT',
    url: new URL(`/v1/event-types/${name}`, eventsUrl),
    body: JSON.stringify({ schema, validation: 'reject' }),
  };
}

export function postOf(eventsUrl: string, type: string, data: unknown): ApiRequest {
  return { method: 'POST', url: new URL(eventsUrl), body: JSON.stringify({ type, data }) };
}

export async function send(
  { headers }: NeighborAccount,
  { method, url, body }: ApiRequest,
  signal?: AbortSignal,
): Promise<number> {
  const response = await fetch(url, {
    method,
    body,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(signal === undefined ? {} : { signal }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Repeats a list of requests. A request does not wait for the response to the request before it. */
export function repeatRequests({ account, perSecond, requests }: RequestList): Disturbance {
  const stopping = new AbortController();
  const { signal } = stopping;
  const sent = new Set<Promise<unknown>>();
  let next = 0;
  const timer = setInterval(() => {
    const request = requests[next % requests.length];
    next += 1;
    if (request !== undefined) {
      const response = send(account, request, signal)
        .catch(() => undefined)
        .finally(() => sent.delete(response));
      sent.add(response);
    }
  }, 1000 / perSecond);
  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await Promise.all(sent);
    },
  };
}
