import createFetchClient from 'openapi-fetch';
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { Api } from '../../dashboard/api/client.js';
import { failureOf, type RequestFailure } from '../../dashboard/api/failure.js';
import { fetchWithRetries } from '../../dashboard/api/fetchWithRetries.js';
import { idempotentRequests } from '../../dashboard/api/idempotentRequests.js';
import type { PortalSession, Paths } from '../../dashboard/api/types.js';
import { FailureNotice } from '../../dashboard/components/failureNotice.js';
import { Notice } from '../../dashboard/components/notice.js';
import type { Appearance } from '../appearance/appearance.js';
import { createParentPage, type ParentPage } from './parentPage.js';
import { PortalContext } from './portalContext.js';
import { storeToken } from './token.js';

interface SessionGateProps {
  readonly appearance: Appearance;
  readonly token: string | null;
  readonly children: ComponentChildren;
}

const unauthorized = 401;

/**
 * Renders its children while the session is known. When the session ends, the children stay below a notice. So a new token
 * from the host page loses nothing that the user has typed.
 */
export function SessionGate({ appearance, token: first, children }: SessionGateProps) {
  const parent = useMemo(() => createParentPage(window, appearance.origins), [appearance]);
  const { api, session, isExpired, failure, open } = useSession(first, parent);
  useHeight(parent);
  const access = useMemo(() => (session === null || api === null ? null : { api, session }), [api, session]);
  return (
    <>
      {isExpired && <Expired name={appearance.name} />}
      <FailureNotice failure={failure} onRetry={open} />
      {access !== null && <PortalContext.Provider value={access}>{children}</PortalContext.Provider>}
      {access === null && !isExpired && failure === null && (
        <div class="opening" role="status">
          <span class="hidden">Opening the page</span>
        </div>
      )}
    </>
  );
}

function Expired({ name }: { readonly name: string | null }) {
  return (
    <div class="expired">
      <Notice kind="bad">
        <p>
          <strong>Your session has ended.</strong> Open this page again from{' '}
          {name ?? 'the site that led you here'}. Until then, what you have typed stays on this page.
        </p>
      </Notice>
    </div>
  );
}

/** The session of the newest token, and the API client with it. */
function useSession(first: string | null, parent: ParentPage) {
  const [token, setToken] = useState(first);
  const [session, setSession] = useState<PortalSession | null>(null);
  const [isExpired, setExpired] = useState(first === null);
  const [failure, setFailure] = useState<RequestFailure | null>(null);
  const expire = useCallback(() => {
    setExpired(true);
    parent.post({ type: 'postrider:session-expired' });
  }, [parent]);
  const api = useMemo(() => (token === null ? null : createPortalApi(token, expire)), [token, expire]);

  const open = useCallback(() => {
    setFailure(null);
    if (api === null) {
      return;
    }
    readSession(api).then(setSession, (thrown: unknown) => {
      const reason = failureOf(thrown);
      setFailure(reason.status === unauthorized ? null : reason);
    });
  }, [api]);
  useEffect(open, [open]);

  const hasSession = session !== null;
  useEffect(() => {
    if (hasSession) {
      parent.post({ type: 'postrider:ready' });
    } else if (first === null) {
      parent.post({ type: 'postrider:session-expired' });
    }
  }, [hasSession, first, parent]);

  useEffect(
    () =>
      parent.listen((given) => {
        void sessionOf(given).then((found) => {
          if (found !== null && (session === null || isSameTenant(found, session))) {
            storeToken(window, given);
            setToken(given);
            setExpired(false);
          }
        });
      }),
    [parent, session],
  );
  return { api, session, isExpired, failure, open };
}

/** The session of a token that the host page has passed, or null if it has none. */
function sessionOf(token: string): Promise<PortalSession | null> {
  return readSession(createPortalApi(token, () => undefined)).catch(() => null);
}

/** Whether two sessions show the same data. A token of another tenant would mix the data of two customers. */
function isSameTenant(one: PortalSession, other: PortalSession): boolean {
  return one.accountId === other.accountId && one.mode === other.mode && one.tenant.id === other.tenant.id;
}

/** Reports the height of the page to the host page, which has no other way to know it. */
function useHeight(parent: ParentPage): void {
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      parent.post({ type: 'postrider:resize', height: Math.ceil(document.body.scrollHeight) });
    });
    observer.observe(document.body);
    return () => {
      observer.disconnect();
    };
  }, [parent]);
}

/**
 * An API client with the token of a portal session.
 * @param onUnauthorized called when a response shows that the session has ended
 */
function createPortalApi(token: string, onUnauthorized: () => void): Api {
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
function readSession(api: Api): Promise<PortalSession> {
  return answerOf(api.GET('/v1/portal-session', {}));
}
