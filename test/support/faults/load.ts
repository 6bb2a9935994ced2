import { setTimeout as pause } from 'node:timers/promises';

/** The response of one call of the API. Null if there was none in time, or if the connection failed. */
export type CallApi = (method: string, path: string, body?: unknown) => Promise<ApiResult | null>;

export interface ApiResult {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const answerMs = 20_000;

export function createCallApi(address: () => string, key: string): CallApi {
  return async (method, path, body) => {
    try {
      const response = await fetch(`${address()}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(answerMs),
      });
      return { status: response.status, body: (await response.json()) as ApiResult['body'] };
    } catch {
      return null;
    }
  };
}

/** A load of events at a constant rate, which does not wait for responses. */
export interface Load {
  readonly stop: () => Promise<LoadResult>;
}

export interface LoadResult {
  /** The type of each event that was answered with 201, by its id. */
  readonly accepted: ReadonlyMap<string, string>;
  /** The number of requests that were not accepted, by status, or 0 without a response. */
  readonly refused: ReadonlyMap<number, number>;
  /** Events that were not posted because too many were unanswered. */
  readonly skipped: number;
  readonly seconds: number;
}

const tickMs = 10;
const mostUnanswered = 400;

/** @param typeOf draws the type of the next event */
export function startLoad(callApi: CallApi, perSecond: number, typeOf: () => string): Load {
  const accepted = new Map<string, string>();
  const refused = new Map<number, number>();
  const unanswered = new Set<Promise<void>>();
  const startedAt = performance.now();
  let due = 0;
  let skipped = 0;

  const post = async (type: string) => {
    const answer = await callApi('POST', '/v1/events', { type, data: { text: 'x'.repeat(200) } });
    if (answer?.status === 201) {
      accepted.set(String(answer.body['id']), type);
    } else {
      const status = answer?.status ?? 0;
      refused.set(status, (refused.get(status) ?? 0) + 1);
    }
  };
  const timer = setInterval(() => {
    for (; due < ((performance.now() - startedAt) * perSecond) / 1000; due += 1) {
      const type = typeOf();
      if (unanswered.size >= mostUnanswered) {
        skipped += 1;
        continue;
      }
      const posting = post(type).finally(() => unanswered.delete(posting));
      unanswered.add(posting);
    }
  }, tickMs);

  return {
    stop: async () => {
      clearInterval(timer);
      const seconds = (performance.now() - startedAt) / 1000;
      await Promise.all(unanswered);
      return { accepted, refused, skipped, seconds };
    },
  };
}

export interface Toggling {
  /** Resolves with how often the webhook was disabled, enabled, deleted and created. */
  readonly stop: () => Promise<number>;
}

/** Disables and enables a webhook, deletes it and creates it again, one change after the other. */
export function startToggling(callApi: CallApi, webhook: { id: string; body: object }): Toggling {
  let stopped = false;
  let changes = 0;
  let { id } = webhook;
  /** Repeats a change that is not answered, because each change may be repeated. Null if the run ended before. */
  const change = async (method: string, path: string, body?: unknown): Promise<ApiResult | null> => {
    while (!stopped) {
      const answer = await callApi(method, path, body);
      if (answer !== null && (answer.status < 300 || answer.status === 404)) {
        return answer;
      }
      await pause(1000);
    }
    return null;
  };
  const rest = async () => {
    for (let waited = 0; waited < 8 && !stopped; waited += 1) {
      await pause(1000);
    }
  };
  const toggle = async () => {
    while (!stopped) {
      await rest();
      await change('PATCH', `/v1/webhooks/${id}`, { status: 'disabled' });
      await rest();
      await change('PATCH', `/v1/webhooks/${id}`, { status: 'active' });
      await rest();
      await change('DELETE', `/v1/webhooks/${id}`);
      const created = await change('POST', '/v1/webhooks', webhook.body);
      id = String(created?.body['id']);
      changes += created === null ? 0 : 1;
    }
  };
  const done = toggle();
  return {
    stop: async () => {
      stopped = true;
      await done;
      return changes;
    },
  };
}
