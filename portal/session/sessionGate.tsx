import createFetchClient from 'openapi-fetch';
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';

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
import { PortalContext, type PortalAccess } from './portalContext.js';
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
  const { access, isExpired, failed } = useSession(first, parent);
  useHeight(parent);
  return (
    <>
      {isExpired && <Expired name={appearance.name} wasOpen={access !== null} />}
      {failed !== null && <FailureNotice failure={failed.reason} onRetry={failed.retry} />}
      {access !== null && <PortalContext.Provider value={access}>{children}</PortalContext.Provider>}
      {access === null && !isExpired && failed === null && (
        <div class="opening" role="status">
          <span class="hidden">Opening the page</span>
        </div>
      )}
    </>
  );
}

interface ExpiredProps {
  /** The name of the platform, or null. */
  readonly name: string | null;
  /** Whether the page shows what the user did before. */
  readonly wasOpen: boolean;
}

function Expired({ name, wasOpen }: ExpiredProps) {
  return (
    <div class="expired">
      <Notice kind="bad">
        <p>
          <strong>Your session has ended.</strong> Open this page again from{' '}
          {name ?? 'the site that led you here'}.
          {wasOpen && ' Until then, what you have typed stays on this page.'}
        </p>
      </Notice>
    </div>
  );
}

/** A token with its session, which the service has confirmed, and the API client with it. */
interface Access extends PortalAccess {
  readonly token: string;
}

/** Why a token could not be checked, and how to check it again. */
interface FailedCheck {
  readonly reason: RequestFailure;
  readonly retry: () => void;
}

/** The session of the newest valid token. */
function useSession(first: string | null, parent: ParentPage) {
  const [access, setAccess] = useState<Access | null>(null);
  /** The tokens whose sessions have ended. A late response to an earlier token ends no later session. */
  const [ended, setEnded] = useState<ReadonlySet<string>>(new Set());
  const [failed, setFailed] = useState<FailedCheck | null>(null);
  const newest = useRef<Access | null>(null);

  const check = useCallback(async (token: string): Promise<void> => {
    setFailed(null);
    const api = createPortalApi(token, () => setEnded((before) => new Set([...before, token])));
    try {
      const session = await answerOf(api.GET('/v1/portal-session', {}));
      if (newest.current === null || isSameTenant(newest.current.session, session)) {
        storeToken(window, token);
        newest.current = { token, api, session };
        setAccess(newest.current);
      }
    } catch (thrown) {
      const reason = failureOf(thrown);
      setFailed(reason.status === unauthorized ? null : { reason, retry: () => void check(token) });
    }
  }, []);
  useEffect(() => {
    if (first !== null) {
      void check(first);
    }
  }, [first, check]);
  useEffect(() => parent.listen((token) => void check(token)), [parent, check]);

  const token = access?.token ?? first;
  const isExpired = token === null || ended.has(token);
  useEffect(() => {
    if (isExpired) {
      parent.post({ type: 'postrider:session-expired' });
    }
  }, [isExpired, parent]);
  const isOpen = access !== null;
  useEffect(() => {
    if (isOpen) {
      parent.post({ type: 'postrider:ready' });
    }
  }, [isOpen, parent]);
  return { access, isExpired, failed };
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
