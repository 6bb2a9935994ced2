import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import { pause } from '../api/pause.js';
import type { Webhook } from '../api/types.js';
import { webhookTitle } from '../components/shownName.js';
import { TitleBadge } from '../navigation/usePageHeading.js';
import { useApi } from '../session/session.js';
import { newsAfter, troubledIds, type TroubleNews } from '../webhooks/troubleNews.js';

const key = 'postrider.notifications';
/** The interval of looks in milliseconds. The watch also looks in a hidden tab, because its user sees no page. */
const everyMs = 60_000;
const limit = 100;

interface WatchChoice {
  readonly isOn: boolean;
  readonly choose: (isOn: boolean) => void;
}

const Choice = createContext<WatchChoice>({ isOn: false, choose: () => undefined });

/** Watches for new trouble of webhooks if the user has opted in, and shows the count in the title of the tab. */
export function TroubleWatch({ children }: { readonly children: ComponentChildren }) {
  const api = useApi();
  const [isOn, setOn] = useState(storedChoice);
  const [begun, setBegun] = useState(0);
  useEffect(() => {
    if (!isOn) {
      return undefined;
    }
    const abort = new AbortController();
    void watch(api, abort.signal, setBegun);
    return () => {
      abort.abort();
      setBegun(0);
    };
  }, [api, isOn]);
  const choice = useMemo(
    () => ({
      isOn,
      choose: (chosen: boolean) => {
        storeChoice(chosen);
        setOn(chosen);
      },
    }),
    [isOn],
  );
  return (
    <Choice.Provider value={choice}>
      <TitleBadge.Provider value={begun}>{children}</TitleBadge.Provider>
    </Choice.Provider>
  );
}

/** The switch of the watch. The browser asks for the permission when the user opts in. */
export function WatchSwitch() {
  const { isOn, choose } = useContext(Choice);
  const wasAsked = useRef(false);
  return (
    <label class="choice small">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget: { checked } }) => {
          choose(checked);
          if (checked && !wasAsked.current && 'Notification' in window) {
            wasAsked.current = true;
            void Notification.requestPermission();
          }
        }}
      />
      <span>Notify me about new trouble</span>
    </label>
  );
}

async function watch(api: Api, signal: AbortSignal, onBegun: (count: number) => void): Promise<void> {
  let news: TroubleNews | null = null;
  while (!signal.aborted) {
    try {
      const { webhooks, troubled } = await look(api, signal);
      const next: TroubleNews = newsAfter(news, troubled);
      notify(webhooks.filter(({ id }) => next.begun.has(id) && news?.begun.has(id) !== true));
      onBegun(next.begun.size);
      news = next;
    } catch {
      // The state is unknown until the service responds again.
    }
    await pause(everyMs, signal);
  }
}

/** @throws RequestFailure if the health is unknown, so that unknown trouble does not count as ended trouble */
async function look(api: Api, signal: AbortSignal) {
  const query = { limit, include: 'health' as const };
  const { data: webhooks } = await answerOf(api.GET('/v1/webhooks', { params: { query }, signal }));
  return { webhooks, troubled: troubledIds(webhooks, new Date()) };
}

/** Shows one notification for all webhooks, without text from the events. */
function notify(webhooks: readonly Webhook[]): void {
  if (webhooks.length > 0 && 'Notification' in window && Notification.permission === 'granted') {
    new Notification('Webhooks do not deliver', { body: webhooks.map(webhookTitle).join('\n'), tag: key });
  }
}

function storedChoice(): boolean {
  try {
    return localStorage.getItem(key) === 'on';
  } catch {
    // Some browsers block storage in private windows.
    return false;
  }
}

function storeChoice(isOn: boolean): void {
  try {
    localStorage.setItem(key, isOn ? 'on' : 'off');
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
}
