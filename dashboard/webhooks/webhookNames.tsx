import { createContext, type ComponentChildren } from 'preact';
import { useCallback, useContext, useMemo } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { List, Webhook } from '../api/types.js';
import { useLoaded, type Loaded } from '../api/useLoaded.js';
import { useApi } from '../session/session.js';

/** The page size for the list of webhooks, which exceeds an account's limit in one mode. */
const limit = 100;

const Webhooks = createContext<Loaded<List<Webhook>>>({
  value: null,
  isStale: false,
  failure: null,
  isLoading: true,
  reload: () => undefined,
});

/** The account's webhooks in the current mode, loaded once for all components that show their URLs. */
export function WebhookNames({ children }: { readonly children: ComponentChildren }) {
  const api = useApi();
  const load = useCallback(
    (signal: AbortSignal): Promise<List<Webhook>> =>
      answerOf(api.GET('/v1/webhooks', { params: { query: { limit } }, signal })),
    [api],
  );
  const webhooks = useLoaded(load);
  return <Webhooks.Provider value={webhooks}>{children}</Webhooks.Provider>;
}

export function useWebhooks(): Loaded<List<Webhook>> {
  return useContext(Webhooks);
}

/** The webhook with an id. The result is null if the webhook was deleted, and until the webhooks are loaded. */
export function useWebhook(id: string): Webhook | null {
  const { value } = useWebhooks();
  return useMemo(() => value?.data.find((webhook) => webhook.id === id) ?? null, [value, id]);
}
