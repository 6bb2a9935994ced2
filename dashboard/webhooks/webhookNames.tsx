import { createContext, type ComponentChildren } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import { failureOf } from '../api/failure.js';
import type { Webhook } from '../api/types.js';
import type { Load, Loaded } from '../api/useLoaded.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { placeOf } from '../navigation/places.js';
import { useApi } from '../session/session.js';
import { createWebhookLookups, type KnownById } from './webhookLookups.js';
import { healthRefreshMs, readWebhooks, type KnownWebhooks } from './webhookList.js';

/** The refresh interval. The service and other users change webhooks while a page is open. */
const refreshMs = 30_000;
const missing = 404;

/** The newest webhooks, and the webhooks that were read by their ids. */
interface Names {
  readonly list: Loaded<KnownWebhooks>;
  readonly byId: KnownById;
  readonly want: (id: string) => void;
}

const Webhooks = createContext<Names>({
  list: {
    value: null,
    loadedAt: null,
    isStale: false,
    isOutdated: false,
    failure: null,
    reload: () => undefined,
  },
  byId: new Map(),
  want: () => undefined,
});

/** The places whose pages show the health of webhooks. Their webhooks and health come in one response. */
const healthPlaces: ReadonlySet<string> = new Set(['/', '/webhooks']);

/**
 * The account's newest webhooks in the current mode, loaded and refreshed for all components that show webhooks. If the
 * account has more webhooks, a component that shows another webhook causes one request for this webhook.
 */
export function WebhookNames({ children }: { readonly children: ComponentChildren }) {
  const api = useApi();
  const withHealth = healthPlaces.has(placeOf(useLocation().path));
  const load = useMemo(() => createLoad(api, withHealth), [api, withHealth]);
  const everyMs = withHealth ? healthRefreshMs : refreshMs;
  const listed = useRefreshed(load, () => everyMs);
  const [byId, setById] = useState<KnownById>(new Map());
  const lookups = useMemo(
    () => createWebhookLookups({ read: (id) => readWebhook(api, id), now: Date.now, onKnown: setById }),
    [api],
  );
  useEffect(() => lookups.close, [lookups]);
  const { reload: reloadList } = listed;
  const reload = useCallback(() => {
    lookups.expire();
    reloadList();
  }, [lookups, reloadList]);
  return (
    <Webhooks.Provider value={{ list: { ...listed, reload }, byId, want: lookups.want }}>
      {children}
    </Webhooks.Provider>
  );
}

/** A function that reads the newest webhooks, and keeps the time of their last counts while the counts are unknown. */
function createLoad(api: Api, withHealth: boolean): Load<KnownWebhooks> {
  let countedAt: number | null = null;
  return async (signal) => {
    const known = await readWebhooks(api, {}, { withHealth, signal });
    countedAt = known.countedAt ?? countedAt;
    return { ...known, countedAt };
  };
}

/** @returns null if the webhook was deleted */
async function readWebhook(api: Api, id: string): Promise<Webhook | null> {
  try {
    return await answerOf(api.GET('/v1/webhooks/{id}', { params: { path: { id } } }));
  } catch (thrown) {
    if (failureOf(thrown).status === missing) {
      return null;
    }
    throw thrown;
  }
}

/** The newest webhooks of the account. `hasMore` says whether the account has further webhooks. */
export function useWebhooks(): Loaded<KnownWebhooks> {
  return useContext(Webhooks).list;
}

export interface FoundWebhook {
  /** The webhook; null if it was deleted, and until it is loaded. */
  readonly webhook: Webhook | null;
  readonly isDeleted: boolean;
}

/** The webhook with an id. */
export function useFoundWebhook(id: string): FoundWebhook {
  const { list, byId, want } = useContext(Webhooks);
  const { value, loadedAt } = list;
  const listed = useMemo(() => value?.data.find((webhook) => webhook.id === id) ?? null, [value, id]);
  const isElsewhere = value?.hasMore === true && listed === null && id.startsWith('wh_');
  useEffect(() => {
    if (isElsewhere) {
      want(id);
    }
  }, [isElsewhere, want, id, loadedAt]);
  const found = isElsewhere ? byId.get(id) : listed;
  return { webhook: found ?? null, isDeleted: value !== null && found === null };
}

/** The webhook with an id. The result is null if the webhook was deleted, and until it is loaded. */
export function useWebhook(id: string): Webhook | null {
  return useFoundWebhook(id).webhook;
}
